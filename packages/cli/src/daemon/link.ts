import { openBrowser, planBrowser } from '../browser.ts'
import type { Context } from '../context.ts'
import type { Client } from './client.ts'

/** A fresh link of the running daemon. */
export async function freshLink(client: Client): Promise<string> {
  const { link } = await client.json<{ link: string }>('/api/link', { method: 'POST' })
  return link
}

/** Shows the link in a browser where one is wanted and there is a display. */
export function showLink({ env }: Context, link: string, wanted: boolean): Promise<boolean> {
  return wanted ? openBrowser(planBrowser(env), link) : Promise.resolve(false)
}
