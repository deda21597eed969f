import type { FoundSource } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { me, status, storage } from '../testing/replies.ts'
import { words } from '../words.ts'
import { agent, main } from './agents.test-kit.ts'
import { graph, LiveServer, shownAgents, WIDE } from './live-page.test-kit.ts'

const source = (id: string, name: string, state: FoundSource['state']): FoundSource => ({
  id,
  kind: 'agent',
  name,
  state,
  path: `/home/dev/.${id}`,
  detail: state === 'found' ? '4 sessions' : 'not found',
  next: null,
})

describe('Live before the first event', () => {
  it('shows the setup commands until the first agent appears', async ({ server, open }) => {
    server.on('GET /api/sources', {
      sources: [
        source('claude-code', 'Claude Code', 'found'),
        source('codex', 'Codex', 'absent'),
        source('opencode', 'OpenCode', 'absent'),
      ],
    })
    await open('/')
    await expect
      .element(page.getByRole('heading', { name: 'Start an agent. It appears here.' }))
      .toBeVisible()
    await expect.element(page.getByText('npx panoptes hooks install claude-code')).toBeVisible()
    await expect.element(page.getByText('npx panoptes demo')).toBeVisible()
    await expect.element(page.getByText('Claude Code', { exact: true })).toBeVisible()
    await expect.element(page.getByText('Codex, OpenCode')).toBeVisible()
    await expectAccessible()
    const now = Date.now()
    const first = main({ started_at: now, last_at: now })
    const event = { v: 1 as const, key: 'k1', seq: 1, ts: now, event: 'prompt', host: 'workstation' }
    server.stream.send(
      { type: 'batch', data: [{ ...event, source: 'claude-code', session_id: 's1', agent_id: 'main' }] },
      { type: 'agents', seq: 1, data: [first] },
    )
    await eventually(shownAgents).toBe(1)
    await expect.element(page.getByRole('heading', { name: /^Start an agent/ })).not.toBeInTheDocument()
  })

  it('says how long each agent keeps its sessions, and what is saved once it is read', async ({
    server,
    open,
    passTime,
  }) => {
    const claude = source('claude-code', 'Claude Code', 'found')
    const codex = source('codex', 'Codex', 'found')
    let saved: FoundSource['saved'] = { state: 'reading', done: 120, total: 4_000 }
    server.on('GET /api/sources', () => ({
      sources: [
        { ...claude, retention: { kind: 'days', days: 30 }, saved },
        { ...codex, retention: { kind: 'unlimited' }, saved: { state: 'off', sessions: 0 } },
      ],
    }))
    await open('/')
    const deletes = 'Claude Code deletes sessions after 30 days.'
    await expect
      .element(page.getByText(`${deletes} Panoptes is reading its sessions: 120 of 4,000.`))
      .toBeVisible()
    await expect
      .element(page.getByText(/^Codex keeps sessions until you delete them\. Panoptes saves no sessions/))
      .toBeVisible()
    await expect.element(page.getByText(/set archive\.enabled to true in config\.yaml/)).toBeVisible()
    await expectAccessible()
    saved = { state: 'saved', sessions: 214, deleted: 12, prompts_only: 3 }
    const done =
      'Panoptes has saved 214 sessions, 12 of which Claude Code has deleted. Of 3 further sessions, only your prompts are left.'
    await eventually(() => {
      passTime(5_000)
      return page.getByText(`${deletes} ${done}`).elements()
    }).toHaveLength(1)
  })

  for (const [role, link] of [
    ['admin', true],
    ['member', false],
  ] as const)
    it(`tells the ${role} of a hub how to connect computers`, async ({ server, open }) => {
      const spaces = [{ name: 'main', role }]
      server.on('GET /api/me', me({ team: true, label: 'Ada', role, home: false, spaces }))
      server.on('GET /api/sources', { sources: [source('claude-code', 'Claude Code', 'found')] })
      await open('/')
      await expect
        .element(page.getByRole('heading', { name: 'Connect a computer. Its agents appear here.' }))
        .toBeVisible()
      await expect
        .element(page.getByText(`npx panoptes forward --to ${location.origin} --token-file ./token`))
        .toBeVisible()
      await expect.element(page.getByRole('link', { name: 'Create a token' })).toHaveLength(link ? 1 : 0)
      const ask = 'Ask an admin of the space for a token and save it in a file.'
      await expect.element(page.getByText(ask)).toHaveLength(link ? 0 : 1)
      for (const hint of [/hooks install/, /npx panoptes demo/, 'Claude Code', /^Start an agent/])
        await expect.element(page.getByText(hint)).not.toBeInTheDocument()
    })
})

describe('Live without visible agents', () => {
  it('says that nothing is running', async ({ server, open }) => {
    const live = new LiveServer(server)
    const ended = live.day.start - 60_000
    for (const one of live.agents()) live.add({ ...one, state: 'done', ended_at: ended, last_at: ended })
    await open('/')
    await expect.element(page.getByText('Nothing is running')).toBeVisible()
  })

  it('says that no agent matches the filters and clears them', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?state=stuck')
    await expect.element(page.getByText('No agents match these filters')).toBeVisible()
    await page.getByRole('main').getByText('Clear filters', { exact: true }).click()
    await eventually(shownAgents).toBe(3)
    await expect.poll(() => location.search).toBe('')
  })

  it('labels every total below the graph', async ({ server, open }) => {
    new LiveServer(server)
    const counters = { agents_spawned: 31, tool_calls: 412, agents_done: 17, agents_failed: 5 }
    const known = status()
    server.on('GET /api/status', {
      ...known,
      counters: { ...known.counters, ...counters },
      storage: storage({ last_ts: Date.now() - 40_000, last_seq: 9 }),
    })
    await open('/', WIDE)
    const figures = (name: string) => () =>
      [...document.querySelectorAll(`dl[aria-label="${name}"] > div`)].map((one) =>
        [...one.children].map((part) => part.textContent),
      )
    await eventually(figures('All-time totals')).toEqual([
      ['sub-agents spawned', '31'],
      ['of them done', '17'],
      ['of them failed', '5'],
      ['tool calls', '412'],
    ])
    await eventually(figures('Totals')).toEqual([['alive', '3']])
    // The chip and the totals count different agents, so the chip says which ones.
    const chip = page.getByRole('button', { name: /^Done 0 10 min/ })
    await expect.element(chip).toHaveAttribute('title', 'Done in the last 10 minutes, including main agents')
    await expect.element(page.getByText(/^last event 4\d s ago · #9$/)).toBeVisible()
  })

  it('uses the singular for one sub-agent and one tool call', async ({ server, open }) => {
    new LiveServer(server)
    const reply = status()
    const counters = { agents_spawned: 1, tool_calls: 1, agents_done: 1, agents_failed: 0 }
    server.on('GET /api/status', { ...reply, counters: { ...reply.counters, ...counters } })
    await open('/', WIDE)
    const labels = () =>
      [...document.querySelectorAll('dl[aria-label="All-time totals"] dt')].map((one) => one.textContent)
    await eventually(labels).toEqual(['sub-agent spawned', 'of them done', 'of them failed', 'tool call'])
    expect(words.live.counters.callsOfThese(1, 1)).toBe('tool call of this agent')
    expect(words.live.counters.callsOfThese(0, 2)).toBe('tool calls of these 2 agents')
  })

  it('shows a dash instead of zero until agents and totals have loaded', async ({ server, open }) => {
    const live = new LiveServer(server)
    const loaded = Promise.withResolvers<void>()
    server.on('GET /api/agents', () => loaded.promise.then(() => live.agents()))
    const reply = status({ storage: storage({ last_ts: Date.now() - 40_000, last_seq: 9 }) })
    server.on('GET /api/status', () => loaded.promise.then(() => reply))
    await open('/', WIDE)
    const shown = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent)
    const alive = () => shown('dl[aria-label="Totals"] dd')
    const chips = () =>
      shown('search[aria-label="Filters"] button').filter((text) => /^[WSFD].* [\d–]/.test(text))
    await eventually(alive).toEqual(['–'])
    expect(chips()).toEqual(['Working –', 'Waiting –', 'Stuck –', 'Failed – 10 min', 'Done – 10 min'])
    for (const text of ['no events yet', /^\d+ sessions?/, /^No agent needs you/])
      await expect.element(page.getByText(text)).not.toBeInTheDocument()
    await expect.element(graph).toHaveAccessibleName('Graph of agents. Loading.')
    loaded.resolve()
    await eventually(alive).toEqual(['3'])
    await expect.element(graph).toHaveAccessibleName(/^Graph of 3 agents in 1 session\./)
    expect(chips()).toEqual(['Working 2', 'Waiting 1', 'Stuck 0', 'Failed 1 10 min', 'Done 0 10 min'])
    await expect.element(page.getByText(/^1 session/)).toBeVisible()
    await expect.element(page.getByText(/^last event .* #9$/)).toBeVisible()
  })

  it('shows in the rail how long an agent has needed someone, and where', async ({ server, open }) => {
    const live = new LiveServer(server)
    const since = (minutes: number) => ({ wait_since: Date.now() - minutes * 60_000 - 5_000 })
    live.add({ ...live.agent('w'), ...since(3) })
    live.add({ ...live.agent('w'), id: 'w2', subagent_type: 'keeper', ...since(125) })
    await open('/', WIDE)
    const rows = () =>
      [...document.querySelectorAll('section[aria-label^="Needs you"] li')].map((row) => row.textContent)
    await eventually(rows).toEqual([
      expect.stringMatching(/^keeper, Waits for you, 2hallow Bash\? · atlas-api$/),
      expect.stringMatching(/^writer, Waits for you, 3mallow Bash\? · atlas-api$/),
    ])
  })

  it('lists eight agents that need someone and counts the others', async ({ server, open }) => {
    const live = new LiveServer(server)
    const stuck = (n: number) => agent({ id: `s${n}`, subagent_type: `sleeper-${n}`, state: 'stuck' })
    live.add(...Array.from({ length: 11 }, (_, n) => stuck(n)))
    await open('/', WIDE)
    const list = page.getByRole('region', { name: 'Needs you, 12 agents' })
    await expect.element(list.getByRole('link', { name: '4 more in Live' })).toBeInTheDocument()
    await expect.element(list.getByRole('listitem')).toHaveLength(8)
    await eventually(() => document.title).toBe('(12) Live · Panoptes')
  })
})
