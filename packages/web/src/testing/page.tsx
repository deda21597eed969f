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
import { keepAll } from '../chat/list/going.ts'
import { clearToasts } from '../design/toast.tsx'
import { changeAlerts } from '../live/alerts/settings.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { chooseNight } from '../live/night.ts'
import { router } from '../router.tsx'
import { backupWork, checkWork, rebuildWork } from '../settings/work.ts'
import { closeOverlay } from '../shell/overlays.ts'
import { chooseTheme } from '../shell/theme.ts'
import { pageTail } from '../stream/page-tail.ts'
import { closeMaking } from '../templates/making.ts'
import type { FakeServer } from './fake-server.ts'
import { replaceServer } from './install.ts'
import { answerEmpty } from './replies.ts'

/** Waits are for a condition; a busy machine may take its time. */
const PATIENT = { timeout: 30_000, interval: 20 }
const DESKTOP = [1280, 720] as const

/** A drawn page replaces this by one that waits until React has drawn, which nobody does once the page is gone. */
const { startTransition } = router

interface PageFixtures {
  /** Answers in the place of the server; every test begins with an empty one. */
  readonly server: FakeServer
  /** What the page wrote to the console as an error. A test that expects some empties it; any other fails. */
  readonly complaints: string[]
  /** The addresses that the page wanted to load anew. A test that expects some empties it; any other fails. */
  readonly loads: string[]
  /**
   * The text that the page copied last. All pages of the browser share one clipboard, in which another test may have
   * put something else by now.
   */
  readonly copied: () => string | undefined
  /** Draws the page at an address and waits until it is connected. */
  readonly open: (path: string, viewport?: readonly [width: number, height: number]) => Promise<void>
  /** Lets the intervals of the page pass, such as those it asks the server at; without it they take real time. */
  readonly passTime: (ms: number) => void
  /** Stops the clock and all timers of the page from when it is called, and answers how to let time pass. */
  readonly stopClock: () => (ms: number) => void
}

/**
 * A test of the page without a daemon: the whole page is drawn in the browser of the run, and the test says what the
 * server answers.
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
    // The page begins anew with this server, also where the test before ended without a connection.
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

/** Effects listen to keys and start timers. React runs them some time after it has drawn what they belong to. */
const runEffects = (): void => flushSync(() => nothing.render(null))

function passTime(ms: number): void {
  runEffects()
  vi.advanceTimersByTime(ms)
}

/** Presses keys, which whatever is drawn listens to. */
const userEvent: typeof browserUser = Object.assign(Object.create(browserUser), {
  keyboard: async (text: string) => {
    runEffects()
    await browserUser.keyboard(text)
  },
})

/** Presses a button at once: what the page does by itself, such as asking again, does not come before. */
export const pressNow = (button: Locator): void => (button.element() as HTMLElement).click()

/** Modules of the page wait for timers that they started, which a clock that is taken away would never end. */
function restartClock(): void {
  if (vi.isFakeTimers()) vi.runOnlyPendingTimers()
  vi.useRealTimers()
}

/** Goes to another address as a link of the page does. */
export async function go(path: string): Promise<void> {
  router.history.push(path)
  await router.load()
}

/** Modules of the page are loaded once for many tests: what they hold goes back to what it was. */
function forgetEverything(): void {
  queryClient.clear()
  closeOverlay()
  closeMaking()
  drafts.set(new Map())
  keepAll()
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

/** `expect.poll` with a generous limit. */
export const eventually = <T,>(look: () => T | Promise<T>) => expect.poll(look, PATIENT)

const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Everything axe finds wrong with what is on the screen, or what the given rules do. */
export async function axeViolations(runOnly?: string[]): Promise<readonly string[]> {
  const { violations } = await axeCore.run(
    // The guards around a menu take the focus only to hand it on, which axe cannot know.
    { exclude: ['[data-base-ui-focus-guard]'] },
    { resultTypes: ['violations'], preload: { assets: ['media'] }, ...(runOnly && { runOnly }) },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`),
  )
}

/** Asserts that axe finds nothing in the dark and in the light theme, of which the second changes only the colours. */
export async function expectAccessible(): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    chooseTheme(theme)
    const violations = await axeViolations(theme === 'dark' ? COLOR_RULES : undefined)
    expect({ theme, violations }).toEqual({ theme, violations: [] })
  }
}

export { commands, page, userEvent }
