import './install.ts'
import '../design/design.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import axeCore from 'axe-core'
import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { it as base, expect, vi } from 'vitest'
import { userEvent as browserUser, commands, type Locator, page } from 'vitest/browser'
import { queryClient } from '../api/client.ts'
import { pageLoader } from '../api/page-loader.ts'
import { awaySince, busAwaySince, signedOut } from '../api/request.ts'
import { forgetSpace } from '../api/space.ts'
import { drafts } from '../chat/composer/drafts.ts'
import { cancelDeletions } from '../chat/list/pending-deletions.ts'
import { clearToasts } from '../design/toast.tsx'
import { changeAlerts } from '../live/alerts/settings.ts'
import { chooseNight } from '../live/dark-graph.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { router } from '../router.tsx'
import { backupWork, checkWork, rebuildWork } from '../settings/work.ts'
import { closeOverlay } from '../shell/overlays.ts'
import { chooseTheme } from '../shell/theme.ts'
import { pageTail } from '../stream/page-tail.ts'
import { closeMaking } from '../templates/make-dialog-state.ts'
import type { FakeServer } from './fake-server.ts'
import { replaceServer } from './install.ts'
import { answerEmpty } from './replies.ts'

/** Waits end as soon as their condition holds, so a long timeout costs nothing and helps a busy machine. */
const PATIENT = { timeout: 30_000, interval: 20 }
const DESKTOP = [1280, 720] as const

/**
 * A rendered page replaces this with a version that waits for a render, which never happens after the page is
 * unmounted.
 */
const { startTransition } = router

interface PageFixtures {
  /** Fakes the server; every test starts with an empty one. */
  readonly server: FakeServer
  /** Console errors of the page. A test that expects some must empty the list, else it fails. */
  readonly complaints: string[]
  /**
   * The addresses that the page tried to reload. A test that expects some must empty the list, else it fails.
   */
  readonly loads: string[]
  /**
   * The text that the page copied last. All pages of the browser share one clipboard, which another test may
   * have changed.
   */
  readonly copied: () => string | undefined
  /** Renders the page at an address and waits until it is connected. */
  readonly open: (path: string, viewport?: readonly [width: number, height: number]) => Promise<void>
  /** Advances the intervals of the page, such as polling; without it they take real time. */
  readonly passTime: (ms: number) => void
  /** Stops the clock and all timers of the page, and returns a function to advance them. */
  readonly stopClock: () => (ms: number) => void
}

/**
 * A test of the whole page without a daemon: it is rendered in the test browser, and the test provides the replies of
 * the server.
 *
 * ```ts
 * it('shows how much is stored', async ({ server, open }) => {
 *   server.on('GET /api/status', status({ storage: storage({ events: 5_000 }) }))
 *   await open('/settings#storage')
 *   await expect.element(page.getByText('5,000 events')).toBeVisible()
 * })
 * ```
 */
export const it = base.extend<PageFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  server: async ({}, use) => {
    const server = replaceServer()
    answerEmpty(server)
    // The page starts over with this server, even if the previous test ended without a connection.
    pageTail.retry()
    server.stream.drop(1012)
    server.stream.attempts.length = 0
    await use(server)
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  complaints: async ({}, use) => {
    const complaints: string[] = []
    const spy = vi.spyOn(console, 'error').mockImplementation((...args) => {
      complaints.push(args.map(String).join(' '))
    })
    await use(complaints)
    spy.mockRestore()
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  loads: async ({}, use) => {
    const loads: string[] = []
    const spies = [
      vi.spyOn(pageLoader, 'load').mockImplementation((path) => void loads.push(path)),
      vi.spyOn(pageLoader, 'reload').mockImplementation(() => void loads.push(location.pathname)),
    ]
    await use(loads)
    for (const spy of spies) spy.mockRestore()
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  copied: async ({}, use) => {
    const { clipboard } = navigator
    const write = clipboard.writeText.bind(clipboard)
    let last: string | undefined
    const spy = vi.spyOn(clipboard, 'writeText').mockImplementation(async (text) => {
      await write(text)
      last = text
    })
    await use(() => last)
    spy.mockRestore()
  },
  open: async ({ server, complaints, loads }, use) => {
    let root: Root | undefined
    const place = document.createElement('div')
    place.id = 'root'
    document.body.append(place)
    await use(async (path, viewport = DESKTOP) => {
      await page.viewport(...viewport)
      await go(path)
      root = createRoot(place)
      root.render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </StrictMode>,
      )
      pageTail.retry()
      const connected = page.getByRole('status').filter({ hasText: /^Connected$/ })
      await expect.element(connected.first(), PATIENT).toBeInTheDocument()
      runEffects()
    })
    root?.unmount()
    router.startTransition = startTransition
    place.remove()
    forgetEverything()
    expect(server.unhandled, 'requests without a handler').toEqual([])
    expect(complaints, 'errors on the console').toEqual([])
    expect(loads, 'addresses that were loaded anew').toEqual([])
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  passTime: async ({}, use) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await use(passTime)
    restartClock()
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  stopClock: async ({}, use) => {
    await use(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
      return passTime
    })
    restartClock()
  },
})

const nothing = createRoot(document.createElement('div'))

/** React runs effects some time after rendering, but tests rely on their key listeners and timers. */
const runEffects = (): void => flushSync(() => nothing.render(null))

function passTime(ms: number): void {
  runEffects()
  vi.advanceTimersByTime(ms)
}

/** Runs pending effects before each key press, so that new key listeners receive it. */
const userEvent: typeof browserUser = Object.assign(Object.create(browserUser), {
  keyboard: async (text: string) => {
    runEffects()
    await browserUser.keyboard(text)
  },
})

/** Clicks a button immediately, before the page acts on its own, such as by retrying. */
export const pressNow = (button: Locator): void => (button.element() as HTMLElement).click()

/**
 * Modules of the page wait for timers that they started, so pending timers must fire before the fake clock is
 * removed.
 */
function restartClock(): void {
  if (vi.isFakeTimers()) vi.runOnlyPendingTimers()
  vi.useRealTimers()
}

/** Navigates as a link of the page does. */
export async function go(path: string): Promise<void> {
  router.history.push(path)
  await router.load()
}

/** Modules are loaded once for many tests, so their state is reset. */
function forgetEverything(): void {
  queryClient.clear()
  closeOverlay()
  closeMaking()
  drafts.set(new Map())
  cancelDeletions()
  clearToasts()
  forgetSpace()
  signedOut.set(false)
  awaySince.set(null)
  busAwaySince.set(null)
  for (const work of [backupWork, checkWork, rebuildWork]) work.state.set({ phase: 'idle' })
  pageAgents.set({ phase: 'loading', agents: [], leftOut: 0 })
  chooseTheme('dark')
  chooseNight(false)
  changeAlerts({ on: false, quiet: false, from: '22:00', to: '07:00' })
  localStorage.clear()
  sessionStorage.clear()
  document.body.replaceChildren()
}

/** `expect.poll` with a generous timeout. */
export const eventually = <T,>(look: () => T | Promise<T>) => expect.poll(look, PATIENT)

const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Lists all axe violations on the screen, or those of the given rules. */
export async function axeViolations(runOnly?: string[]): Promise<readonly string[]> {
  const { violations } = await axeCore.run(
    // The focus guards around a menu only pass the focus on, which axe cannot know.
    { exclude: ['[data-base-ui-focus-guard]'] },
    { resultTypes: ['violations'], preload: { assets: ['media'] }, ...(runOnly && { runOnly }) },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`),
  )
}

/** Asserts that axe finds nothing in either theme. The dark theme only needs the colour rules. */
export async function expectAccessible(): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    chooseTheme(theme)
    const violations = await axeViolations(theme === 'dark' ? COLOR_RULES : undefined)
    expect({ theme, violations }).toEqual({ theme, violations: [] })
  }
}

export { commands, page, userEvent }
