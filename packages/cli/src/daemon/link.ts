import { openBrowser, planBrowser } from '../browser.ts'
import type { Context } from '../context.ts'
import type { Client } from './client.ts'

/** Creates a new sign-in link for the running daemon. */
export async function freshLink(client: Client): Promise<string> {
  const { link } = await client.json<{ link: string }>('/api/link', { method: 'POST' })
  return link
}

/** Opens the link in a browser if the user wants one and there is a display. */
export function showLink({ env }: Context, link: string, wanted: boolean): Promise<boolean> {
  return wanted ? openBrowser(planBrowser(env), link) : Promise.resolve(false)
}
