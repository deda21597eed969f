import { describe, expect, it } from 'vitest'
import {
  agentOf,
  alive,
  atRest,
  dayOfAgents,
  graph,
  needs,
  panel,
  panelName,
  pointsOf,
  useLive,
} from './live-kit.ts'
import { eventually } from './page-kit.ts'

const GOLD = '#fbbf24'
const STUCK = '#fb923c'
const { day, event } = dayOfAgents()
const live = useLive(day)

describe('the graph', () => {
  it('is drawn on a canvas that is not empty', async () => {
    const page = await live.open()
    await eventually(async () => (await pointsOf(page, GOLD)).count).toBeGreaterThan(100)
  })

  it('names who needs someone in the rail, on every page, and in the tab', async () => {
    const page = await live.open('/settings')
    await eventually(() => needs(page).textContent()).toContain('writer')
    await eventually(() => needs(page).textContent()).toContain('allow Bash? · atlas-api')
    await eventually(() => page.title()).toBe('(1) Settings · Panoptes')
    await page.keyboard.press('n')
    await panel(page).getByRole('heading', { name: 'writer' }).waitFor()
    await panel(page).getByRole('region', { name: 'Waits for you' }).waitFor()
    expect(decodeURIComponent(page.url())).toContain('agent=claude-code~s1~w')
  })

  it('tells everything of one agent beside it, and which of its tools failed', async () => {
    const page = await live.open(agentOf('r'))
    const side = panel(page)
    await side.getByText('atlas-api › main › writer › reader').waitFor()
    const said = await side.textContent()
    expect(said).toContain('Do the work of reader')
    expect(said).toContain('Tokens in–')
    expect(said).toContain('Money–')
    await eventually(() => side.getByRole('table').getByRole('row').last().textContent()).toMatch(
      /^Read1✕ 1\d+ ms$/,
    )
    await page.keyboard.press('Escape')
    await side.waitFor({ state: 'detached' })
  })

  it('opens an agent that is clicked', async () => {
    const page = await live.open()
    await eventually(() => alive(page)).toBe(3)
    await atRest(page)
    // The first gold from above is the upper edge of a main.
    const { x, y } = await pointsOf(page, GOLD)
    await page.mouse.click(x, y + 8)
    await eventually(() => panelName(page)).toBe('main')
  })

  it('shows whoever comes while it is open, and lets them go', async () => {
    const page = await live.open()
    await eventually(() => alive(page)).toBe(3)
    const of = { session_id: 's2', source: 'hermes' }
    await live.post(
      { event: 'session_start', agent_id: 'main', project: 'docs-site', ...of },
      { event: 'prompt', agent_id: 'main', prompt_preview: 'Go', ...of },
    )
    await eventually(() => alive(page)).toBe(4)
    await eventually(() => graph(page).getAttribute('aria-label')).toContain('4 agents in 2 sessions')
    await live.post({ event: 'session_end', ...of })
    await eventually(() => alive(page)).toBe(3)
  })

  it('shows an agent once that was first known by its call, and keeps it open', async () => {
    const page = await live.open()
    await eventually(() => alive(page)).toBe(3)
    await live.post(event(40_000, { event: 'agent_spawn', id: 'toolu_9', subagent_type: 'linked' }))
    await eventually(() => alive(page)).toBe(4)
    await page.goto(`${live.daemon().address}${agentOf('toolu_9')}`)
    await eventually(() => panelName(page)).toBe('linked')
    await live.post(event(41_000, { event: 'agent_link', id: 'a9', tool_use_id: 'toolu_9' }))
    await eventually(() => decodeURIComponent(page.url())).toContain('claude-code~s1~a9')
    await eventually(() => panelName(page)).toBe('linked')
    expect(await alive(page)).toBe(4)
    await live.post(event(42_000, { event: 'agent_done', id: 'a9' }))
    await eventually(() => alive(page)).toBe(3)
  })

  it('marks two agents that edit one file, and says which', async () => {
    const page = await live.open('/', { reducedMotion: 'reduce' })
    await eventually(() => alive(page)).toBe(3)
    await atRest(page)
    expect((await pointsOf(page, STUCK)).count).toBe(0)
    const edit = (agent_id: string) => ({
      event: 'tool_use',
      source: 'claude-code',
      session_id: 's1',
      agent_id,
      id: `edit-${agent_id}`,
      tool: 'Edit',
      file: '/home/dev/atlas/tax.ts',
    })
    await live.post(edit('r'), edit('main'))
    await page.getByText('2 agents edit /home/dev/atlas/tax.ts at the same time').waitFor()
    await eventually(async () => (await pointsOf(page, STUCK)).count).toBeGreaterThan(10)
  })
})
