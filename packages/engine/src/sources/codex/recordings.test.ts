import { describe, expect, it } from 'vitest'
import { agentsOf, listed, messagesOf, read, sessionOf } from '../conformance/records.ts'
import { readOne, spent, spoken, tempHome } from './codex.test-kit.ts'
import { codexSource } from './index.ts'

/**
 * The scripted model used ten more input tokens and one more output token with each request. The totals cover
 * the requests: 12 from the 15th on, 12 from the 27th on, and 4 and 14 from the first on.
 */
describe.each([
  {
    version: '0.98.0',
    forks: [
      '01a1e031-eee2-7fa2-a3f7-dd4a77d13c41',
      '01a1e031-ff7d-7800-a7eb-71bb01c1089d',
      '01a1e032-0c3f-7ad1-961d-e00c121f747c',
    ],
    spawner: '01a1e032-17ec-77d3-aa4f-b21fbd71cb3e',
    sessions: 4,
    tokens: [4_860, 9_600, 846],
  },
  {
    version: '0.145.0',
    forks: [
      '01a1e032-47f3-7603-8006-6edc98bfa436',
      '01a1e032-4b15-7cf3-8051-add2c63e353b',
      '01a1e032-4b7c-7f73-bfa2-9a56753fc1c0',
    ],
    spawner: '01a1e032-4c78-7c20-8df4-8a41d4090dd0',
    sessions: 4,
    tokens: [6_300, 9_600, 990],
  },
  {
    version: '0.166.0',
    forks: [
      '01a1e026-5db7-7870-87bc-4c3fea6318d5',
      '01a1e026-a99a-77d0-9c4c-3f931cdcf011',
      '01a1e026-aaba-7a00-b1d9-5e491325ca54',
    ],
    spawner: '01a1e026-ad8e-7911-8907-b7a064534552',
    sessions: 7,
    tokens: [4_750, 14_400, 1_015],
  },
])('a recording of Codex $version', ({ version, forks, spawner, sessions, tokens }) => {
  it('counts every reply once across all forks', async () => {
    const source = codexSource(tempHome(version))
    const all = await listed(source)
    expect(all).toHaveLength(sessions)
    const sums = await Promise.all(all.map(async (one) => spent(await read(source, one))))
    expect([0, 1, 2].map((at) => sums.reduce((sum, each) => sum + (each[at] ?? 0), 0))).toEqual(tokens)
  })

  it('shows in a fork, and in a fork of it, only its own messages', async () => {
    const home = tempHome(version)
    const [root = '', fork = '', second = ''] = forks
    expect(spoken(await readOne(home, root))[0]).toMatch(/^RUN:tools/)
    const records = await readOne(home, fork)
    expect(spoken(records)).toEqual([expect.stringMatching(/^RUN:more.* fork$/), 'One more answer.'])
    expect(sessionOf(records)).toMatchObject({ parent_id: root, lineage: 'branch', model: 'gpt-5.1-codex' })
    expect(spoken(await readOne(home, second))).toHaveLength(2)
    expect(sessionOf(await readOne(home, second))).toMatchObject({ parent_id: fork, lineage: 'branch' })
  })

  it('nests a sub-agent that inherited the conversation', async () => {
    const records = await readOne(tempHome(version), spawner)
    const [, agent] = [...agentsOf(records).values()]
    expect(agent).toMatchObject({ parent_id: 'main', description: 'RUN:child look around with context' })
    const calls = messagesOf(records).flatMap(({ content }) => content)
    expect(calls).toContainEqual(expect.objectContaining({ type: 'tool_call', id: agent?.tool_use_id }))
    const own = messagesOf(records).filter(({ agent_id, hidden }) => agent_id === agent?.id && !hidden)
    expect(own[0]?.content).toMatchObject([{ text: 'RUN:child look around with context' }])
    expect(own[1]?.content).toMatchObject([{ tool: 'exec_command', input: { cmd: 'echo child' } }])
  })

  it('reads outcomes of commands and leaves out injected messages', async () => {
    const records = await readOne(tempHome(version), forks[0] ?? '')
    const results = messagesOf(records).flatMap(({ role, content }) => (role === 'tool' ? content : []))
    expect(results).toMatchObject([
      { ok: true, text: expect.stringContaining('one'), duration_ms: expect.any(Number) },
      { ok: false, text: expect.stringContaining('bad') },
      { id: expect.stringMatching(/^call_/) },
    ])
    const hidden = messagesOf(records).filter((message) => message.hidden)
    expect(hidden.length).toBeGreaterThanOrEqual(2)
    for (const { content } of hidden)
      expect(content).toMatchObject([{ text: expect.stringMatching(/^[<#]/) }, ...content.slice(1)])
    expect(records.filter(({ kind }) => kind === 'skipped')).toEqual([])
  })
})

it('uses the name a person gave and marks a summary', async () => {
  const records = await readOne(tempHome('0.166.0'), '01a1e029-f6b8-7540-b2ba-5795f6bad47d')
  expect(sessionOf(records)).toMatchObject({
    title: 'A better name',
    project: 'notes',
    cwd: '/home/dev/notes',
  })
  expect(messagesOf(records).at(-1)).toMatchObject({ role: 'user', state: 'summary' })
})

it('names the agents of a team by their tasks when the prompts are encrypted', async () => {
  const records = await readOne(tempHome('0.166.0-agents-v2'), '01a1e049-b348-7c62-abf5-729b113da790')
  expect([...agentsOf(records).values()]).toMatchObject([
    { id: 'main' },
    { description: 'forked', tool_use_id: 'call_2_1' },
    { description: 'survey', tool_use_id: 'call_6_1' },
  ])
  expect(spoken(records)).toEqual([
    'RUN:plain first',
    'Hello from the model.',
    'RUN:spawnfork it',
    'RUN:spawn other',
    'The agent is done.',
    'The forked agent is done.',
    'ok',
  ])
  expect(records.filter(({ kind }) => kind === 'skipped')).toEqual([])
})
