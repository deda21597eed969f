import type { FoundSource } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { me, status, storage } from '../testing/replies.ts'
import { agent, main } from './agents.test-kit.ts'
import { LiveServer, shownAgents, WIDE } from './live-page.test-kit.ts'

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
  it('says how agents come to show and what to type for it, until one does', async ({ server, open }) => {
    server.on('GET /api/sources', {
      sources: [
        source('claude-code', 'Claude Code', 'found'),
        source('codex', 'Codex', 'absent'),
        source('opencode', 'OpenCode', 'absent'),
      ],
    })
    await open('/')
    await expect
      .element(page.getByRole('heading', { name: 'Start an agent. It shows up here.' }))
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

  for (const [role, link] of [
    ['admin', true],
    ['member', false],
  ] as const)
    it(`tells a hub's ${role} how computers come to send`, async ({ server, open }) => {
      const spaces = [{ name: 'main', role }]
      server.on('GET /api/me', me({ team: true, label: 'Ada', role, home: false, spaces }))
      server.on('GET /api/sources', { sources: [source('claude-code', 'Claude Code', 'found')] })
      await open('/')
      await expect
        .element(page.getByRole('heading', { name: 'Let a computer send here. Its agents show up.' }))
        .toBeVisible()
      await expect
        .element(page.getByText(`npx panoptes forward --to ${location.origin} --token-file ./token`))
        .toBeVisible()
      await expect.element(page.getByRole('link', { name: 'Make a token' })).toHaveLength(link ? 1 : 0)
      const ask = 'Ask an admin of the space for a token for sending events, and keep it in a file.'
      await expect.element(page.getByText(ask)).toHaveLength(link ? 0 : 1)
      for (const hint of [/hooks install/, /npx panoptes demo/, 'Claude Code', /^Start an agent/])
        await expect.element(page.getByText(hint)).not.toBeInTheDocument()
    })
})

describe('Live without anybody to show', () => {
  it('says that nothing is running', async ({ server, open }) => {
    const live = new LiveServer(server)
    const ended = live.day.start - 60_000
    for (const one of live.agents()) live.add({ ...one, state: 'done', ended_at: ended, last_at: ended })
    await open('/')
    await expect.element(page.getByText('Nothing is running')).toBeVisible()
  })

  it('says that no agent matches the filters, and clears them', async ({ server, open }) => {
    new LiveServer(server)
    await open('/?state=stuck')
    await expect.element(page.getByText('No agent matches these filters')).toBeVisible()
    await page.getByRole('main').getByText('Clear filters', { exact: true }).click()
    await eventually(shownAgents).toBe(3)
    await expect.poll(() => location.search).toBe('')
  })

  it('counts everything that ever happened below the graph, each figure by its name', async ({
    server,
    open,
  }) => {
    new LiveServer(server)
    const counters = { agents_spawned: 31, tool_calls: 412, agents_done: 17, agents_failed: 5 }
    const known = status()
    server.on('GET /api/status', {
      ...known,
      counters: { ...known.counters, ...counters },
      storage: storage({ last_ts: Date.now() - 40_000, last_seq: 9 }),
    })
    await open('/', WIDE)
    const totals = () =>
      [...document.querySelectorAll('dl[aria-label=Totals] > div')].map((one) =>
        [...one.children].map((part) => part.textContent),
      )
    await eventually(totals).toEqual([
      ['alive', '3'],
      ['spawned', '31'],
      ['tool calls', '412'],
      ['done', '17'],
      ['failed', '5'],
    ])
    await expect.element(page.getByText(/^last event 4\d s ago · #9$/)).toBeVisible()
  })

  it('says in the rail how long an agent has needed someone, and where', async ({ server, open }) => {
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

  it('lists eight agents that need someone, and how many more there are', async ({ server, open }) => {
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
