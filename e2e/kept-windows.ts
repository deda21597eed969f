import type { BrowserContextOptions, Page } from 'playwright-core'
import { type OpenPage, openPage } from './browser.ts'

interface Window extends OpenPage {
  readonly kind: string
}

/**
 * A new window costs the browser several times what a page in it does. One that a test has left is emptied and given
 * to the next that asks for its kind.
 */
const left: Window[] = []

/** An empty page at the same address keeps the browser's process, and leaves nothing of the page before it. */
const REST = '/at-rest'
const EMPTY = {
  contentType: 'text/html',
  headers: { 'cross-origin-opener-policy': 'same-origin' },
  // Without an icon of its own the browser would ask the daemon for one.
  body: '<!doctype html><title>At rest</title><link rel="icon" href="data:,">',
}

/** A window without storage, routes or complaints, which still has to sign in; `close` leaves it for the next. */
export async function takeWindow(options: BrowserContextOptions = {}): Promise<OpenPage> {
  // These a page can be told while it is open; everything else makes another kind of window.
  const { viewport: _viewport, colorScheme: _scheme, reducedMotion: _motion, ...lasting } = options
  const kind = JSON.stringify(lasting)
  const at = left.findIndex((one) => one.kind === kind && !one.page.isClosed())
  const [found] = at < 0 ? [] : left.splice(at, 1)
  const window = found ?? { ...(await openPage(undefined, lasting)), kind }
  await dress(window.page, options)
  // Its earlier complaints were its last user's.
  const before = window.complaints.length
  return {
    page: window.page,
    get complaints() {
      return window.complaints.slice(before)
    },
    close: () => leave(window),
  }
}

async function dress(page: Page, options: BrowserContextOptions): Promise<void> {
  const { viewport, colorScheme, reducedMotion } = options
  await page.setViewportSize(viewport ?? { width: 1280, height: 720 })
  await page.emulateMedia({
    colorScheme: colorScheme ?? 'light',
    reducedMotion: reducedMotion ?? 'reduce',
  })
}

/** A window that cannot be emptied, or has others beside it, is closed. */
async function leave(window: Window): Promise<void> {
  const { page, close } = window
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route(`**${REST}`, (route) => route.fulfill(EMPTY))
    await page.goto(new URL(REST, page.url()).href, { timeout: 5_000 })
    await page.unrouteAll()
    await page.evaluate(() => localStorage.clear())
    if (page.context().pages().length > 1) return close()
    left.push(window)
  } catch {
    await close()
  }
}
