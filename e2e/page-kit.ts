import { generateNewEvents } from '@panoptes/engine/demo'
import type { EventsPage, IngestReply } from '@panoptes/schema'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { type OpenPage, openPage } from './browser.ts'
import type { Daemon } from './daemon.ts'

export const EVENTS = '/settings/events'

export interface WindowOptions extends BrowserContextOptions {
  /** Prepares the window before the page is loaded, for example with fake server answers. */
  readonly first?: (page: Page) => Promise<unknown>
}

/** Opens one page of the running program in a signed-in browser. */
export async function openAt(
  daemon: Daemon,
  path: string,
  { first, ...options }: WindowOptions = {},
): Promise<OpenPage> {
  const answer = await daemon.request('/api/link', { method: 'POST' })
  const { link } = (await answer.json()) as { readonly link: string }
  const opened = await openPage(undefined, options)
  await signIn(opened.page, link)
  await first?.(opened.page)
  await opened.page.goto(`${daemon.address}${path}`)
  await opened.page
    .getByRole('status')
    .filter({ hasText: /^Connected$/ })
    .waitFor()
  return opened
}

/** Opens a sign-in link in the browser itself, because a test process that also listens counts as a proxy. */
export async function signIn(page: Page, link: string): Promise<void> {
  const entry = await page.context().newPage()
  await entry.goto(link, { waitUntil: 'commit' })
  await entry.close()
}

/** The pages of each test. A complaint of the browser fails the test; afterwards all pages are closed. */
export function usePages() {
  const opened: OpenPage[] = []
  afterEach(async () => {
    for (const one of opened.splice(0)) {
      expect(one.complaints).toEqual([])
      await one.close()
    }
  })
  return {
    open: async (daemon: Daemon, path: string, options: WindowOptions = {}): Promise<Page> => {
      const one = await openAt(daemon, path, options)
      opened.push(one)
      return one.page
    },
    /** Closes the pages without checking for complaints, for tests that cause some. */
    closeUnheard: async (): Promise<void> => {
      for (const one of opened.splice(0)) await one.close()
    },
  }
}

export async function post(daemon: Daemon, events: readonly object[]): Promise<IngestReply> {
  const body = events.map((event) => JSON.stringify(event)).join('\n')
  const answer = await daemon.request('/events', { method: 'POST', body })
  if (!answer.ok) throw new Error(`POST /events answered ${answer.status}`)
  return (await answer.json()) as IngestReply
}

/** Posts part of the seeded demo day, as if it had begun an hour ago, so that it is the same at any time. */
export async function postDay(daemon: Daemon, events: number, seed = 7): Promise<void> {
  let batch: object[] = []
  let shift: number | undefined
  for (const event of generateNewEvents({ seed, events })) {
    shift ??= Date.now() - 3_600_000 - event.ts
    batch.push({ ...event, ts: event.ts + shift })
    if (batch.length < 5_000) continue
    await post(daemon, batch)
    batch = []
  }
  if (batch.length > 0) await post(daemon, batch)
}

export async function stored(daemon: Daemon, query = ''): Promise<EventsPage> {
  return (await (await daemon.request(`/api/events?${query}`)).json()) as EventsPage
}

export const prompt = (text: string, session = 's1') => ({
  event: 'prompt',
  session_id: session,
  agent_id: 'main',
  prompt_preview: text,
})

/** Polls a value on a page; a busy machine may take its time. */
export const eventually = <T>(look: () => Promise<T> | T) =>
  expect.poll(look, { timeout: 30_000, interval: 50 })

export const rows = (page: Page) => page.locator('tbody tr')

/** The seq of each drawn row, from top to bottom. */
export const drawnSeqs = (page: Page): Promise<number[]> =>
  rows(page).evaluateAll((drawn) => drawn.map((row) => Number(row.id.replace('event-', ''))))

/** The page prefetches its other parts this long after it is drawn. */
const READ_AHEAD_MS = 1_400

export interface LoadedScript {
  readonly name: string
  readonly encodedBodySize: number
  readonly startTime: number
}

/** Call this before the page is loaded. */
export const watchScripts = (page: Page): Promise<unknown> => page.addInitScript(rememberStanding)

/** The scripts that the page itself needs, however long it took to draw. */
export const ownScripts = (page: Page): Promise<readonly LoadedScript[]> =>
  page.evaluate((aheadMs) => {
    const { stoodAt = 0 } = globalThis as unknown as { readonly stoodAt?: number }
    return performance
      .getEntriesByType('resource')
      .map((entry) => entry.toJSON() as LoadedScript)
      .filter(({ name }) => name.endsWith('.js'))
      .filter(({ name, startTime }) => startTime < stoodAt + aheadMs || name.includes('worker'))
  }, READ_AHEAD_MS)

/** Runs in the page and records when the navigation first appears. */
function rememberStanding(): void {
  const scope = globalThis as unknown as {
    stoodAt?: number
    document: { querySelector(selector: string): unknown }
    MutationObserver: new (look: () => void) => { observe(of: unknown, how: object): void }
  }
  new scope.MutationObserver(() => {
    if (scope.document.querySelector('nav')) scope.stoodAt ??= performance.now()
  }).observe(scope.document, { childList: true, subtree: true })
}

/** The accessible name of the focused element, as far as the page provides one. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    interface Part {
      readonly textContent: string | null
      getAttribute(name: string): string | null
    }
    const { document } = globalThis as unknown as {
      readonly document: { readonly activeElement: Part | null; readonly body: Part }
    }
    const element = document.activeElement
    if (!element || element === document.body) return null
    return { name: element.getAttribute('aria-label') ?? element.textContent ?? '' }
  })
