import { conversation as conversationSchema, type StoredChatMessage } from '@panoptes/schema'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { type ChatHome, homeWithRuntimes, scriptTalk } from './page-chat-home.ts'
import { usePages, type WindowOptions } from './page-kit.ts'

/** A daemon with scripted runtimes for all tests of a file, and windows for each. */
export function useChat() {
  const pages = usePages()
  let home: ChatHome
  let daemon: Daemon
  beforeAll(async () => {
    home = await homeWithRuntimes()
    daemon = await startDaemon({ home: home.home })
    home.line.lead(daemon.port)
  })
  beforeEach(() => scriptTalk(home.models, home.agent))
  afterAll(async () => {
    await home?.line.close()
    await daemon?.stop()
    await home?.close()
  })
  const post = (path: string, body: object = {}) =>
    daemon.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const make = async (body: object = {}): Promise<string> =>
    ((await (await post('/api/conversations', body)).json()) as { readonly id: string }).id
  /** Says something and hears the answer to its end, as the terminal does. */
  const say = async (id: string, text: string, more: object = {}): Promise<void> => {
    const answer = await post(`/api/conversations/${id}/chat`, { message: text, ...more })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  return {
    pages,
    daemon: () => daemon,
    home: () => home,
    open: (path: string, options: WindowOptions = {}): Promise<Page> =>
      pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options }),
    make,
    say,
    /** A conversation in which this was said and answered. */
    made: async (text: string, more: object = {}): Promise<string> => {
      const id = await make()
      await say(id, text, more)
      return id
    },
    stored: async (id: string): Promise<readonly StoredChatMessage[]> =>
      conversationSchema.parse(await (await daemon.request(`/api/conversations/${id}`)).json()).messages,
  }
}

export const field = (page: Page) => page.getByLabel('Message', { exact: true })
export const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
export const answers = (page: Page) => log(page).getByRole('article', { name: /^(Jarvis|scripted|Hermes)/ })
export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

export async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

/** Nothing is being answered. */
export const atRest = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()

export async function pick(page: Page, what: string, name: RegExp): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${what}:`) }).click()
  await page.getByRole('menuitemradio', { name }).click()
}

export const wordsOf = async (one: Locator): Promise<readonly string[]> =>
  (await one.innerText()).match(/word\d+/g) ?? []

interface Given {
  readonly name: string
  readonly type: string
  readonly content: string
}

/** Pastes or drops a file, as a person does. */
export const give = (to: Locator, how: 'paste' | 'drop', file: Given): Promise<void> =>
  to.evaluate(
    (element, { way, name, type, content }) => {
      interface Transfer {
        readonly items: { add(file: object): void }
      }
      const scope = globalThis as unknown as {
        DataTransfer: new () => Transfer
        ClipboardEvent: new (kind: string, init: object) => object
        DragEvent: new (kind: string, init: object) => object
      }
      const data = new scope.DataTransfer()
      data.items.add(new File([content], name, { type }))
      const how = { bubbles: true, cancelable: true }
      const event =
        way === 'paste'
          ? new scope.ClipboardEvent('paste', { ...how, clipboardData: data })
          : new scope.DragEvent('drop', { ...how, dataTransfer: data })
      ;(element as unknown as { dispatchEvent(event: object): void }).dispatchEvent(event)
    },
    { ...file, way: how },
  )
