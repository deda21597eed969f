import type { ReplayReply } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { OpenPage } from './browser.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { axe, eventually, openAt, post } from './page-kit.ts'

let daemon: Daemon
const opened: OpenPage[] = []
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

/** A session with nested agents: one works, one waits, one has failed. */
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
  event(3_500, { event: 'tool_done', id: 't1', agent_id: 'r', tool: 'Read', ok: true, duration_ms: 500 }),
  spawn(4_000, 'f', 'main', 'fixer'),
  event(20_000, { event: 'agent_wait', agent_id: 'w', reason: 'allow Bash?' }),
  event(59_000, { event: 'agent_done', id: 'f', outcome: 'fail', error: 'exit 2' }),
]

beforeAll(async () => {
  daemon = await startDaemon()
  await post(daemon, day)
})
afterEach(async () => {
  for (const one of opened.splice(0)) {
    expect(one.complaints).toEqual([])
    await one.close()
  }
})
afterAll(() => daemon?.stop())

async function open(path = '/', options: Parameters<typeof openAt>[2] = {}): Promise<Page> {
  const one = await openAt(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })
  opened.push(one)
  if (!path.startsWith('/settings'))
    await eventually(() => graph(one.page).or(table(one.page)).count()).toBe(1)
  return one.page
}

const graph = (page: Page) => page.getByRole('img', { name: /^Graph of/ })
const table = (page: Page) => page.getByRole('treegrid', { name: 'Agents, by session' })
const panel = (page: Page) => page.getByRole('complementary')
const needs = (page: Page) => page.getByRole('region', { name: /^Needs you/ })
const rowsOf = (page: Page) => table(page).locator('tbody tr').allTextContents()
const agentOf = (id: string) => `/?agent=claude-code~s1~${id}`

describe('Live', () => {
  it('draws on a canvas that is not empty', async () => {
    const page = await open()
    await eventually(() =>
      graph(page).evaluate((canvas) => {
        const surface = canvas as unknown as {
          width: number
          height: number
          getContext(kind: '2d'): {
            getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray }
          }
        }
        const { data } = surface.getContext('2d').getImageData(0, 0, surface.width, surface.height)
        let gold = 0
        for (let i = 0; i < data.length; i += 4)
          if (data[i] === 0xfb && data[i + 1] === 0xbf && data[i + 2] === 0x24) gold += 1
        return gold
      }),
    ).toBeGreaterThan(100)
  })

  it('names who needs someone in the rail, on every page, and in the tab', async () => {
    const page = await open('/settings')
    await eventually(() => needs(page).textContent()).toContain('writer')
    await eventually(() => needs(page).textContent()).toContain('allow Bash? · atlas-api')
    await eventually(() => page.title()).toBe('(1) Settings · Panoptes')
    await page.keyboard.press('n')
    await panel(page).getByRole('heading', { name: 'writer' }).waitFor()
    await panel(page).getByRole('region', { name: 'Waits for you' }).waitFor()
    expect(decodeURIComponent(page.url())).toContain('agent=claude-code~s1~w')
  })

  it('tells everything of one agent beside the graph', async () => {
    const page = await open(agentOf('r'))
    const side = panel(page)
    await side.getByText('atlas-api › main › writer › reader').waitFor()
    const said = await side.textContent()
    expect(said).toContain('Do the work of reader')
    expect(said).toContain('Tokens in–')
    expect(said).toContain('Money–')
    await side.getByRole('table').getByText('Read').waitFor()
    await page.keyboard.press('Escape')
    await side.waitFor({ state: 'detached' })
  })

  it('goes along the tree by the arrows and says where it is', async () => {
    const page = await open()
    const at = async (key: string) => {
      await page.keyboard.press(key)
      return eventually(() => panel(page).getByRole('heading', { level: 2 }).textContent())
    }
    await (await at('ArrowDown')).toBe('main')
    await (await at('ArrowDown')).toBe('writer')
    await (await at('ArrowRight')).toBe('fixer')
    await (await at('ArrowLeft')).toBe('writer')
    await (await at('ArrowDown')).toBe('reader')
    await (await at('ArrowUp')).toBe('writer')
    await page
      .getByRole('status')
      .filter({ hasText: 'atlas-api › writer, waits: allow Bash?' })
      .waitFor({ state: 'attached' })
  })

  it('opens an agent that is clicked', async () => {
    const page = await open()
    await eventually(() => graph(page).getAttribute('data-agents')).toBe('3')
    await page.waitForTimeout(500)
    const box = await graph(page).boundingBox()
    if (!box) throw new Error('no graph')
    // The first gold from above is the upper edge of a main.
    const place = await graph(page).evaluate((canvas) => {
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
      const ratio = width / surface.clientWidth
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] !== 0xfb || data[i + 1] !== 0xbf || data[i + 2] !== 0x24 || data[i + 3] !== 255) continue
        return { x: ((i / 4) % width) / ratio, y: Math.floor(i / 4 / width) / ratio + 8 }
      }
      return null
    })
    if (!place) throw new Error('no main is drawn')
    await page.mouse.click(box.x + place.x, box.y + place.y)
    await eventually(() => panel(page).getByRole('heading', { level: 2 }).textContent()).toBe('main')
  })

  it('filters by state, project and model', async () => {
    const page = await open('/?view=table')
    await eventually(async () => (await rowsOf(page)).length).toBeGreaterThan(4)
    await page.getByRole('button', { name: /^Waiting 1/ }).click()
    await eventually(async () => (await rowsOf(page)).join()).not.toContain('reader')
    expect((await rowsOf(page)).join()).toContain('writer')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('All states')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(async () => (await rowsOf(page)).join()).toContain('reader')
    await page.goto(`${daemon.address}/?model=opus`)
    await eventually(() => graph(page).getAttribute('data-agents')).toBe('1')
  })

  it('has a table with Needs you on top and every session as a tree', async () => {
    const page = await open()
    await page.keyboard.press('t')
    await table(page).waitFor()
    await eventually(async () => (await rowsOf(page))[0]).toContain('Needs you')
    const rows = table(page).locator('tbody tr')
    const seen = await rows.evaluateAll((all) =>
      all.map((row) => [row.getAttribute('aria-level'), row.textContent?.slice(0, 40)]),
    )
    expect(seen.map(([level]) => level)).toEqual(['1', '2', '1', '2', '3', '4', '3'])
    expect((await rowsOf(page)).join('\n')).toContain('listed under Needs you')
    await rows.filter({ hasText: 'reader' }).click()
    await panel(page).getByRole('heading', { name: 'reader' }).waitFor()
  })

  it('shows who is alive, and whoever comes while it is open', async () => {
    const page = await open()
    await eventually(() => graph(page).getAttribute('data-agents')).toBe('3')
    await post(daemon, [
      { event: 'session_start', session_id: 's2', agent_id: 'main', source: 'hermes', project: 'docs-site' },
      { event: 'prompt', session_id: 's2', agent_id: 'main', source: 'hermes', prompt_preview: 'Go' },
    ])
    await eventually(() => graph(page).getAttribute('data-agents')).toBe('4')
    await eventually(() => graph(page).getAttribute('aria-label')).toContain('4 agents in 2 sessions')
    await post(daemon, [{ event: 'session_end', session_id: 's2', source: 'hermes' }])
    await eventually(() => graph(page).getAttribute('data-agents')).toBe('3')
  })
})

describe('the scrubber', () => {
  const momentOf = (page: Page) => page.getByRole('slider', { name: 'Moment' }).getAttribute('aria-valuetext')
  const alive = (page: Page) => graph(page).getAttribute('data-agents').then(Number)
  const replayed = async (at: number) => {
    const answer = await daemon.request(`/api/replay?at=${at}`)
    const { agents } = (await answer.json()) as ReplayReply
    return agents.filter((agent) => agent.state !== 'done' && agent.state !== 'failed').length
  }

  it('goes back to any moment and shows what the server says of it', async () => {
    for (const after of [500, 1_500, 2_500, 10_000, 30_000]) {
      const at = start + after
      const page = await open(`/?at=${at}`)
      await page.getByText(/^Replay at /).waitFor()
      await eventually(() => alive(page)).toBe(await replayed(at))
    }
  })

  it('jumps to what happened, steps, and comes back to live', async () => {
    const page = await open()
    await eventually(() => alive(page)).toBe(3)
    await eventually(async () => {
      await page.keyboard.press('w')
      return page.getByText(/^Replay at /).count()
    }).toBe(1)
    await eventually(() => alive(page)).toBe(await replayed(start + 20_000))
    await page.keyboard.press(',')
    await eventually(() => alive(page)).toBe(await replayed(start + 4_000))
    await page.keyboard.press('.')
    await page.keyboard.press('l')
    await page.getByText(/^Replay at /).waitFor({ state: 'detached' })
    await eventually(() => momentOf(page)).toBe('now, live')
    await eventually(() => alive(page)).toBe(3)
  })

  it('plays at the speed it is told, and shows counters and panel as of the moment', async () => {
    const page = await open(`/?at=${start + 2_500}&agent=claude-code~s1~r`)
    await panel(page)
      .getByText(/^as of /)
      .waitFor()
    expect(await panel(page).textContent()).toContain('Tool calls0')
    await page.keyboard.press(']')
    await page.keyboard.press(']')
    await page.getByText(/· 4×/).waitFor()
    await page.keyboard.press('Space')
    await eventually(async () => (await panel(page).textContent())?.includes('Tool calls1')).toBe(true)
    await page.keyboard.press('Space')
    await page.getByText('tool calls of these').waitFor()
  })

  it('follows the pointer and the keys of a slider', async () => {
    const page = await open()
    const slider = page.getByRole('slider', { name: 'Moment' })
    const box = await slider.boundingBox()
    if (!box) throw new Error('no scrubber')
    await page.mouse.click(box.x + box.width / 2, box.y + 30)
    await page.getByText(/^Replay at /).waitFor()
    const before = await momentOf(page)
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await eventually(() => momentOf(page)).not.toBe(before)
    await page.keyboard.press('End')
    await eventually(() => momentOf(page)).toBe('now, live')
  })
})

describe('everyone can use Live', () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  for (const theme of ['dark', 'light'] as const) {
    it(`has nothing axe complains of, wide and narrow, ${theme}`, async () => {
      for (const options of [{}, phone]) {
        const page = await open('/', options)
        await page.evaluate((choice) => localStorage.setItem('panoptes.theme', choice), theme)
        for (const path of ['/', agentOf('w'), '/?view=table', `/?at=${start + 5_000}`]) {
          await page.goto(`${daemon.address}${path}`)
          await eventually(() => graph(page).or(table(page)).count()).toBe(1)
          await page.getByText('Connected').waitFor()
          expect({ path, found: await axe(page) }).toEqual({ path, found: [] })
        }
      }
    })
  }

  it('draws no frame while nothing happens', async () => {
    const page = await open('/?model=haiku&state=working', { reducedMotion: 'no-preference' })
    const drawn = () =>
      graph(page).evaluate((canvas) =>
        (canvas as unknown as { panoptesStage: { frames(): number } }).panoptesStage.frames(),
      )
    let before = -1
    await eventually(async () => {
      const last = before
      before = await drawn()
      await page.waitForTimeout(1_200)
      return before === last || (await drawn()) === before
    }).toBe(true)
  })

  it('neither pulses nor drifts where motion is not welcome', async () => {
    const page = await open('/', { reducedMotion: 'reduce' })
    await eventually(() => graph(page).getAttribute('data-agents')).toBe('3')
    const frames = () =>
      graph(page).evaluate((canvas) =>
        (canvas as unknown as { panoptesStage: { frames(): number } }).panoptesStage.frames(),
      )
    let before = -1
    await eventually(async () => {
      const last = before
      before = await frames()
      await page.waitForTimeout(300)
      return before === last
    }).toBe(true)
    await post(daemon, [
      { event: 'tool_use', session_id: 's1', source: 'claude-code', agent_id: 'r', id: 't9', tool: 'Grep' },
    ])
    await eventually(async () => (await frames()) > before).toBe(true)
    expect((await frames()) - before).toBeLessThan(20)
  })
})

describe('a first run', () => {
  it('says what was found and what to do', async () => {
    const fresh = await startDaemon()
    try {
      const one = await openAt(fresh, '/')
      await one.page.getByRole('heading', { name: 'Start an agent. It shows up here.' }).waitFor()
      await one.page.getByText('panoptes hooks install claude-code').waitFor()
      expect(await axe(one.page)).toEqual([])
      expect(one.complaints).toEqual([])
      await one.close()
    } finally {
      await fresh.stop()
    }
  })
})
