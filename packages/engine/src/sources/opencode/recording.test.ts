import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listed, messagesOf, read, sessionOf } from '../conformance/records.ts'
import { openCodeSource } from './index.ts'
import { readOne, recordedHome } from './opencode.test-kit.ts'

const FIRST = 'ses_e1fcfc7c0ffeIAD5xEikQmLeIy'
const SPAWNER = 'ses_e1fcd7c2cffeItp8toO7GAIi6e'
const CHILD = 'ses_e1fcd720bffezNuqRkxen3X4b2'
const FORK = 'ses_e1fcb44ceffe6faHwfwLx0FtQ1'

it('reads replies with reasoning, calls, results, tokens and costs', async () => {
  const records = await readOne(recordedHome(), FIRST)
  expect(messagesOf(records)).toMatchObject([
    { role: 'user', hidden: false, content: [{ text: '"RUN:tools please"' }] },
    {
      role: 'assistant',
      model: 'gpt-5.1-codex',
      content: [
        { type: 'reasoning', text: 'Let me look.' },
        { text: 'Looking.' },
        { tool: 'bash', input: { command: 'echo one' } },
        { tool: 'read' },
      ],
      usage: { input: 402, output: 40, cache_read: 600, cache_write: 0, reasoning: 5 },
      cost_micro_usd: 542,
    },
    {
      role: 'tool',
      content: [
        { id: 'call_2_0', ok: true, text: 'one\n', duration_ms: 213 },
        { id: 'call_2_1', ok: false, text: 'File not found: /nowhere/none.txt', duration_ms: 24 },
      ],
    },
    { role: 'assistant', content: [{ tool: 'write' }], cost_micro_usd: 543 },
    { role: 'tool', content: [{ id: 'call_3_0', ok: true }] },
    { role: 'assistant', content: [{ text: 'All done.' }], cost_micro_usd: 544 },
  ])
  expect(sessionOf(records)).toMatchObject({
    source: 'opencode',
    title: 'A title made by the model',
    project: 'notes',
    cwd: '/home/dev/notes',
    model: 'gpt-5.1-codex',
    lineage: 'root',
    started_at: 1_794_762_618_963,
  })
  expect(records.filter(({ kind }) => kind === 'skipped')).toEqual([])
})

it('nests a sub-agent under the call that created it', async () => {
  const home = recordedHome()
  expect((await listed(openCodeSource(home))).map(({ id }) => id).sort()).toEqual(
    [FORK, SPAWNER, FIRST].sort(),
  )
  const records = await readOne(home, SPAWNER)
  expect(records.filter(({ kind }) => kind === 'agent')).toMatchObject([
    { agent: { id: 'main' } },
    {
      agent: {
        id: CHILD,
        parent_id: 'main',
        subagent_type: 'general',
        description: 'survey',
        tool_use_id: 'call_6_0',
      },
    },
  ])
  const own = messagesOf(records).filter(({ agent_id }) => agent_id === CHILD)
  expect(own[0]?.content).toMatchObject([{ text: 'RUN:child look around' }])
  expect(own.at(-1)?.content).toMatchObject([{ text: 'Child report.' }])
  expect(own.every(({ session_id }) => session_id === SPAWNER)).toBe(true)
})

it('shows in a fork only its own messages', async () => {
  const records = await readOne(recordedHome(), FORK)
  expect(messagesOf(records).map(({ content: [block] }) => block?.text)).toEqual([
    '"RUN:plain in a fork"',
    'Hello from the model.',
  ])
  expect(records).toContainEqual(
    expect.objectContaining({ kind: 'skipped', reason: expect.stringContaining('4 messages') }),
  )
})

it('leaves every byte of the folder unchanged', async () => {
  const home = recordedHome()
  const state = () =>
    readdirSync(home).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(home, name)))
        .digest('hex'),
    ])
  const before = state()
  const source = openCodeSource(home)
  for (const one of await listed(source)) await read(source, one)
  expect(before.map(([name]) => name)).toEqual(['opencode.db'])
  expect(state()).toEqual(before)
})
