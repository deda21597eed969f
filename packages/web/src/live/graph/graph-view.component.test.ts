import { describe, expect, onTestFinished } from 'vitest'
import { commands } from '../../testing/browser.ts'
import { eventually, expectAccessible, go, it, page } from '../../testing/page.tsx'
import { main, session } from '../agents.test-kit.ts'
import { chooseNight } from '../dark-graph.ts'
import {
  agentPath,
  graph,
  LiveServer,
  PHONE,
  panelName,
  pointsOf,
  replayBadge,
  shownAgents,
  stage,
  WIDE,
} from '../live-page.test-kit.ts'

const GOLD = '#fbbf24'
const HAIKU = '#60a5fa'
const HAIKU_IN_LIGHT = '#1d4ed8'
const STUCK = '#fb923c'

/** Waits for a number of screen frames. */
async function drawn(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await new Promise(requestAnimationFrame)
}

describe('the graph of Live', () => {
  it('draws agents and opens the one that is clicked', async ({ server, open }) => {
    new LiveServer(server)
    await open('/', WIDE)
    await eventually(() => pointsOf(GOLD).count).toBeGreaterThan(100)
    await eventually(shownAgents).toBe(3)
    // The topmost gold point is the upper edge of a main agent.
    const edge = () => pointsOf(GOLD)
    await eventually(() => stage().hit(edge().x, edge().y + 8)).toBe('claude-code~s1~main')
    const { x, y } = edge()
    await graph.click({ position: { x, y: y + 8 } })
    await expect.element(panelName).toHaveTextContent('main')
    await graph.click({ position: { x: 5, y: 5 } })
    await expect.element(panelName).not.toBeInTheDocument()
  })

  it('adds a session that starts and removes it after its end', async ({ server, open }) => {
    const live = new LiveServer(server)
    await open('/')
    await eventually(shownAgents).toBe(3)
    const other = { source: 'hermes', session_id: 's2' }
    live.sessions = [...live.sessions, session({ ...other, project: 'docs-site', title: null })]
    const newcomer = main({ ...other, started_at: Date.now(), last_at: Date.now() })
    live.tell([newcomer])
    await eventually(shownAgents).toBe(4)
    await expect.element(graph).toHaveAccessibleName(/^Graph of 4 agents in 2 sessions\./)
    await expect.element(page.getByText('2 sessions · 2 projects')).toBeVisible()
    live.tell([{ ...newcomer, state: 'done', ended_at: Date.now() }])
    await eventually(shownAgents).toBe(3)
  })

  it('shows an agent once after it gets its final id and keeps it open', async ({ server, open }) => {
    const live = new LiveServer(server)
    const linked = { ...live.agent('r'), id: 'toolu_9', parent_id: 'main', subagent_type: 'linked' }
    live.add(linked)
    await open(agentPath('toolu_9'))
    await expect.element(panelName).toHaveTextContent('linked')
    await eventually(shownAgents).toBe(4)
    live.tell([{ ...linked, id: 'a9', tool_use_id: 'toolu_9' }], [linked])
    await eventually(() => decodeURIComponent(location.search)).toBe('?agent=claude-code~s1~a9')
    await expect.element(panelName).toHaveTextContent('linked')
    await eventually(shownAgents).toBe(4)
  })

  it('marks two agents that edit the same file and names the file', async ({ server, open, passTime }) => {
    const live = new LiveServer(server)
    await open('/', WIDE)
    await eventually(() => pointsOf(GOLD).count).toBeGreaterThan(100)
    expect(pointsOf(STUCK).count).toBe(0)
    const editor = (agent_id: string) => ({ source: 'claude-code', session_id: 's1', agent_id })
    const file = '/home/dev/atlas/tax.ts'
    live.conflicts = [{ file, agents: [editor('r'), editor('main')], since: Date.now() }]
    const warning = page.getByText(`2 agents are editing ${file} at the same time`)
    await eventually(() => {
      passTime(5_000)
      return warning.query()
    }).not.toBeNull()
    await expect.element(warning).toBeVisible()
    await eventually(() => pointsOf(STUCK).count).toBeGreaterThan(10)
  })

  it('says how many alive agents are not shown', async ({ server, open }) => {
    const live = new LiveServer(server)
    const alive = live.agents().filter((one) => one.state !== 'failed')
    server.stream.snapshot = { type: 'snapshot', seq: 9, alive, alive_left_out: 41 }
    await open('/')
    await expect.element(page.getByText('41 more agents are alive. Only the newest are shown.')).toBeVisible()
  })

  it('animates a tool call only when motion is allowed', async ({ server, open }) => {
    const live = new LiveServer(server)
    await open('/')
    await eventually(() => pointsOf(GOLD).count).toBeGreaterThan(100)
    const still = stage().frames()
    live.call('r', 'Grep')
    await eventually(() => stage().frames()).toBeGreaterThan(still)
    await drawn(15)
    expect(stage().frames() - still).toBeLessThan(10)
    await commands.emulateMedia({ reducedMotion: 'no-preference' })
    try {
      const before = stage().frames()
      live.call('r', 'Grep')
      await eventually(() => stage().frames()).toBeGreaterThan(before + 10)
    } finally {
      await commands.emulateMedia({ reducedMotion: 'reduce' })
    }
  })

  it('draws no frame while nothing happens, even when motion is allowed', async ({
    server,
    open,
    passTime,
  }) => {
    onTestFinished(() => commands.emulateMedia({ reducedMotion: 'reduce' }))
    await commands.emulateMedia({ reducedMotion: 'no-preference' })
    const live = new LiveServer(server)
    // A waiting agent is animated, and a recently failed one fades.
    live.add({ ...live.agent('w'), state: 'working', wait_reason: null, wait_since: null })
    live.add({ ...live.agent('f'), ended_at: live.day.start, last_at: live.day.start })
    await open('/', WIDE)
    await eventually(() => pointsOf(GOLD).count).toBeGreaterThan(100)
    const framesIn = async (times: number) => {
      const before = stage().frames()
      await drawn(times)
      return stage().frames() - before
    }
    await eventually(() => framesIn(20)).toBe(0)
    passTime(10_000)
    expect(await framesIn(20)).toBe(0)
    const still = stage().frames()
    live.call('r', 'Grep')
    await eventually(() => stage().frames()).toBeGreaterThan(still)
    await eventually(() => framesIn(20)).toBe(0)
  })

  it('uses the colors of the theme and stays dark when that was chosen', async ({ server, open }) => {
    new LiveServer(server)
    await open('/', WIDE)
    await eventually(() => pointsOf(HAIKU).count).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Switch to light' }).click()
    await eventually(() => pointsOf(HAIKU_IN_LIGHT).count).toBeGreaterThan(10)
    expect(pointsOf(HAIKU).count).toBe(0)
    chooseNight(true)
    await eventually(() => pointsOf(HAIKU).count).toBeGreaterThan(10)
  })

  for (const [width, size] of [
    ['wide', WIDE],
    ['narrow', PHONE],
  ] as const)
    it(`passes axe with an open agent and in the past, ${width}`, async ({ server, open }) => {
      const { day } = new LiveServer(server)
      await open(agentPath('w'), size)
      await expect.element(panelName).toHaveTextContent('writer')
      await expectAccessible()
      await go(`/?session=claude-code~s1&at=${day.start + 5_000}`)
      await expect.element(replayBadge).toBeVisible()
      await expect.element(page.getByTitle('Show every session')).toBeInTheDocument()
      await expectAccessible()
    })
})
