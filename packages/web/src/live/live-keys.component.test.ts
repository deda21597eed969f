import { describe, expect } from 'vitest'
import type { FakeServer } from '../testing/fake-server.ts'
import { eventually, it, page, userEvent } from '../testing/page.tsx'
import { agent, main, session } from './agents.test-kit.ts'
import {
  agentPath,
  graph,
  LiveServer,
  makeDay,
  panelName,
  replayBadge,
  rows,
  shownAgents,
  stage,
  table,
  WIDE,
} from './live-page.test-kit.ts'

describe('the keyboard shortcuts of Live', () => {
  it('move along the tree with arrow keys and announce the agent', async ({ server, open }) => {
    new LiveServer(server)
    await open('/')
    await eventually(shownAgents).toBe(3)
    const walk = [
      ['ArrowDown', 'main'],
      ['ArrowDown', 'writer'],
      ['ArrowRight', 'fixer'],
      ['ArrowLeft', 'writer'],
      ['ArrowDown', 'reader'],
      ['ArrowUp', 'writer'],
    ] as const
    for (const [key, name] of walk) {
      await userEvent.keyboard(`{${key}}`)
      await expect.element(panelName).toHaveTextContent(name)
    }
    await expect.element(page.getByText('atlas-api › writer, waits: allow Bash?')).toBeInTheDocument()
    await userEvent.keyboard('{Escape}')
    await expect.element(panelName).not.toBeInTheDocument()
    await expect.poll(() => location.search).toBe('')
  })

  it('fit the graph again after zooming', async ({ server, open }) => {
    new LiveServer(server)
    await open('/')
    await eventually(shownAgents).toBe(3)
    await eventually(() => stage().hit(...middle())).not.toBeNull()
    const whole = stage().camera().scale
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await eventually(() => stage().camera().scale).toBeGreaterThan(whole)
    await userEvent.keyboard('f')
    await eventually(() => stage().camera().scale).toBeCloseTo(whole, 5)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await eventually(() => stage().camera().scale).toBeLessThan(whole)
  })

  it('switch between graph and table and focus the filters', async ({ server, open }) => {
    new LiveServer(server)
    await open('/')
    await userEvent.keyboard('t')
    await expect.element(table).toBeVisible()
    await expect.poll(() => location.search).toBe('?view=table')
    await userEvent.keyboard('t')
    await expect.element(graph).toBeVisible()
    await expect.poll(() => location.search).toBe('')
    await userEvent.keyboard('/')
    expect(document.activeElement?.textContent).toContain('All states')
  })

  it('go with n from any page to the next agent that needs someone', async ({ server, open }) => {
    const live = new LiveServer(server)
    live.add(agent({ id: 's', subagent_type: 'sleeper', state: 'stuck', last_at: live.day.start }))
    server.on('GET /api/events', { events: [], next: null, first: 1, last: 9 })
    await open('/settings/events', WIDE)
    const list = page.getByRole('region', { name: 'Needs you, 2 agents' })
    await expect.element(list.getByText('allow Bash? · atlas-api')).toBeVisible()
    await eventually(() => document.title).toBe('(2) Events · Panoptes')
    await userEvent.keyboard('n')
    await expect.element(panelName).toHaveTextContent('writer')
    expect(decodeURIComponent(location.search)).toBe('?agent=claude-code~s1~w')
    await userEvent.keyboard('n')
    await expect.element(panelName).toHaveTextContent('sleeper')
    await userEvent.keyboard('n')
    await expect.element(panelName).toHaveTextContent('writer')
  })
})

describe('a session found in the palette', () => {
  const over = { source: 'hermes', session_id: 'yesterday' }

  /** Serves the day and a session that ended before it. */
  function serveWithPast(server: FakeServer): LiveServer {
    const day = makeDay()
    const [began, ended] = [day.start - 7_200_000, day.start - 7_100_000]
    const past = [
      main({ ...over, state: 'done', started_at: began, last_at: ended, ended_at: ended }),
      agent({
        ...over,
        id: 'g',
        subagent_type: 'glossary',
        state: 'done',
        started_at: began,
        ended_at: ended,
      }),
    ]
    const agentsAt = (ts: number) => (ts < day.start ? past : day.agentsAt(ts))
    const live = new LiveServer(server, { ...day, agentsAt })
    const named = { project: 'docs-site', title: 'Rewrite the guides' }
    const times = { started_at: began, last_at: ended, ended_at: ended }
    live.sessions = [...live.sessions, session({ ...over, ...named, ...times })]
    return live
  }

  async function choose(typed: string, title: RegExp): Promise<void> {
    await userEvent.keyboard('{Control>}k{/Control}')
    await expect.element(page.getByRole('dialog')).toBeVisible()
    await userEvent.keyboard(typed)
    await page.getByRole('option', { name: title }).click()
  }

  it('is shown alone while it runs', async ({ server, open }) => {
    serveWithPast(server)
    await open(agentPath('w'))
    await expect.element(panelName).toHaveTextContent('writer')
    await choose('#split', /Split billing.*now/)
    await eventually(shownAgents).toBe(3)
    await expect.element(page.getByRole('button', { name: /^Session Split billing/ })).toBeVisible()
    expect(decodeURIComponent(location.search)).toBe('?session=claude-code~s1')
    await expect.element(replayBadge).not.toBeInTheDocument()
  })

  it('opens at its end when it is over, and all agents return with live', async ({ server, open }) => {
    const { day } = serveWithPast(server)
    await open('/')
    await eventually(shownAgents).toBe(3)
    await choose('guides', /Rewrite the guides/)
    await expect.element(replayBadge).toBeVisible()
    await expect.element(graph).toHaveAccessibleName(/in 1 session\./)
    await expect
      .poll(() => new URLSearchParams(location.search).get('at'))
      .toBe(String(day.start - 7_100_000))
    await userEvent.keyboard('t')
    await eventually(() => rows().join()).toContain('glossary')
    expect(rows().join()).not.toContain('writer')
    await page.getByRole('button', { name: /^Session Rewrite/ }).click()
    await userEvent.keyboard('l')
    await expect.element(replayBadge).not.toBeInTheDocument()
    await eventually(() => rows().join()).toContain('writer')
    await eventually(() => location.search).toBe('?view=table')
    await expect.element(panelName).not.toBeInTheDocument()
  })
})

/** The center of the graph, where the main agent of the only session is. */
function middle(): [number, number] {
  const { width, height } = graph.element().getBoundingClientRect()
  return [width / 2, height / 2]
}
