import type { ReplayReply } from '@panoptes/schema'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { OpenPage } from './browser.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, openAt, post } from './page-kit.ts'

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

interface Day {
  readonly start: number
  /** Something that happened so many milliseconds after the start. */
  readonly event: (after: number, fields: object) => object
  /** A session with nested agents: one works, one waits, one has failed. */
  readonly day: readonly object[]
}

/** What happens in the last minute, for the tests of one file: others that run in the same process began earlier. */
export function dayOfAgents(): Day {
  const start = Date.now() - 60_000
  const event = (after: number, fields: object) => ({
    source: 'claude-code',
    session_id: 's1',
    ts: start + after,
    key: `live-${after}-${JSON.stringify(fields)}`,
    ...fields,
  })
  const spawn = (after: number, id: string, parent: string, type: string) =>
    event(after, {
      event: 'agent_spawn',
      id,
      parent_id: parent,
      subagent_type: type,
      model: 'claude-haiku-4',
      prompt_preview: `Do the work of ${type}`,
    })
  const day = [
    event(0, {
      event: 'session_start',
      agent_id: 'main',
      project: 'atlas-api',
      title: 'Split billing',
      model: 'claude-opus-5',
    }),
    event(1, { event: 'prompt', agent_id: 'main', prompt_preview: 'Split billing out' }),
    spawn(1_000, 'w', 'main', 'writer'),
    spawn(2_000, 'r', 'w', 'reader'),
    event(3_000, { event: 'tool_use', id: 't1', agent_id: 'r', tool: 'Read', input_preview: 'a.ts' }),
    event(3_500, { event: 'tool_done', id: 't1', agent_id: 'r', tool: 'Read', ok: false, duration_ms: 500 }),
    spawn(4_000, 'f', 'main', 'fixer'),
    event(20_000, { event: 'agent_wait', agent_id: 'w', reason: 'allow Bash?' }),
    event(59_000, { event: 'agent_done', id: 'f', outcome: 'fail', error: 'exit 2' }),
  ]
  return { start, event, day }
}

export interface Live {
  readonly daemon: () => Daemon
  readonly open: (path?: string, options?: Parameters<typeof openAt>[2]) => Promise<Page>
  readonly post: (...events: readonly object[]) => Promise<unknown>
  /** How many agents the server says were alive at a moment. */
  readonly aliveAt: (at: number) => Promise<number>
}

/** A daemon with these events for the tests of one file; whatever a page complained of fails its test. */
export function useLive(events: readonly object[] = dayOfAgents().day): Live {
  let daemon: Daemon
  const opened: OpenPage[] = []
  beforeAll(async () => {
    daemon = await startDaemon()
    if (events.length > 0) await post(daemon, events)
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) {
      expect(one.complaints).toEqual([])
      await one.close()
    }
  })
  afterAll(() => daemon?.stop())
  return {
    daemon: () => daemon,
    post: (...more) => post(daemon, more),
    open: async (path = '/', options = {}) => {
      const one = await openAt(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })
      opened.push(one)
      if (!path.startsWith('/settings'))
        await eventually(() => graph(one.page).or(table(one.page)).count()).toBe(1)
      return one.page
    },
    aliveAt: async (at) => {
      const { agents } = (await (await daemon.request(`/api/replay?at=${at}`)).json()) as ReplayReply
      return agents.filter((agent) => agent.state !== 'done' && agent.state !== 'failed').length
    },
  }
}

export const graph = (page: Page): Locator => page.getByRole('img', { name: /^Graph of/ })
export const table = (page: Page): Locator => page.getByRole('treegrid', { name: 'Agents, by session' })
export const panel = (page: Page): Locator => page.getByRole('complementary')
export const needs = (page: Page): Locator => page.getByRole('region', { name: /^Needs you/ })
export const rowsOf = (page: Page): Promise<string[]> => table(page).locator('tbody tr').allTextContents()
export const agentOf = (id: string): string => `/?agent=claude-code~s1~${id}`
export const alive = (page: Page): Promise<number> => graph(page).getAttribute('data-agents').then(Number)
export const panelName = (page: Page) => panel(page).getByRole('heading', { level: 2 }).textContent()

/** How many frames were drawn so far. */
export const frames = (page: Page): Promise<number> =>
  graph(page).evaluate((canvas) =>
    (canvas as unknown as { panoptesStage: { frames(): number } }).panoptesStage.frames(),
  )

/** Waits until no frame is drawn for a while; answers how many there were. */
export async function atRest(page: Page, quietMs = 300): Promise<number> {
  let before = -1
  await eventually(async () => {
    const last = before
    before = await frames(page)
    await page.waitForTimeout(quietMs)
    return before === last
  }).toBe(true)
  return before
}

/** How many points of the graph have exactly this colour, and where on the page the first of them is. */
export async function pointsOf(page: Page, color: string): Promise<{ count: number; x: number; y: number }> {
  const found = await graph(page).evaluate((canvas, wanted) => {
    const surface = canvas as unknown as {
      width: number
      height: number
      clientWidth: number
      getContext(kind: '2d'): {
        getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray }
      }
    }
    const { width, height } = surface
    const { data } = surface.getContext('2d').getImageData(0, 0, width, height)
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(wanted.slice(at, at + 2), 16))
    let count = 0
    let first = 0
    for (let i = 0; i < data.length; i += 4) {
      if (data[i] !== red || data[i + 1] !== green || data[i + 2] !== blue || data[i + 3] !== 255) continue
      if (count === 0) first = i / 4
      count += 1
    }
    const ratio = width / surface.clientWidth
    return { count, x: (first % width) / ratio, y: Math.floor(first / width) / ratio }
  }, color)
  const box = await graph(page).boundingBox()
  if (!box) throw new Error('no graph')
  return { count: found.count, x: box.x + found.x, y: box.y + found.y }
}
