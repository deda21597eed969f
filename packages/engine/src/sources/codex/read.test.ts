import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectWhole, find, listed, messagesOf, read, sessionOf } from '../conformance/records.ts'
import {
  counted,
  event,
  item,
  lineOf,
  messageItem,
  meta,
  pathOf,
  put,
  readOne,
  spoken,
  tempHome,
} from './codex.test-kit.ts'
import { codexSource } from './index.ts'

const call = (id: string, name: string, input: unknown, at = 0) =>
  item({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }, at)
const output = (id: string, text: unknown, at = 0) =>
  item({ type: 'function_call_output', call_id: id, output: text }, at)

it('merges the parts of a reply with its usage and puts the results after it', async () => {
  const home = tempHome()
  put(pathOf(home, 's'), [
    meta('s', { git: { branch: 'main' } }),
    { type: 'turn_context', payload: { model: 'gpt-6' } },
    messageItem('user', 'go', 1),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' }, 2),
    call('a', 'shell', { command: ['ls'] }, 3),
    call('b', 'shell', { command: ['rm'] }, 3),
    counted([100, 60, 9, 4]),
    output('a', 'Exit code: 0\nWall time: 1.5 seconds\nOutput:\nExit code: 7', 4),
    counted([100, 60, 9, 4]),
    output('b', '{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.25}}', 5),
    messageItem('assistant', 'done', 6),
    event({ type: 'agent_message', message: 'done' }, 6),
    counted([250, 160, 20, 4], [150, 100, 11, 0], 6),
  ])
  const records = await readOne(home, 's')
  expect(messagesOf(records)).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      model: 'gpt-6',
      content: [
        { type: 'reasoning', text: 'hm' },
        { tool: 'shell', input: { command: ['ls'] } },
        { id: 'b' },
      ],
      usage: { input: 40, cache_read: 60, cache_write: null, output: 9, reasoning: 4 },
    },
    { role: 'tool', content: [{ id: 'a', ok: true, duration_ms: 1_500 }] },
    { role: 'tool', content: [{ id: 'b', ok: false, duration_ms: 250 }] },
    { content: [{ text: 'done' }], usage: { input: 50, cache_read: 100, output: 11, reasoning: 0 } },
  ])
  expect(sessionOf(records)).toMatchObject({
    title: 'go',
    project: 'atlas',
    git_branch: 'main',
    model: 'gpt-6',
  })
})

it('continues counting when totals restart and includes usage without a message', async () => {
  const home = tempHome()
  put(pathOf(home, 's'), [
    meta('s'),
    messageItem('assistant', 'a'),
    counted([100, 0, 10]),
    messageItem('assistant', 'b'),
    counted([30, 0, 5], [30, 0, 5]),
    messageItem('user', 'c'),
    counted([70, 0, 6], [40, 0, 1]),
  ])
  const usages = messagesOf(await readOne(home, 's')).map(({ usage }) => usage?.input)
  expect(usages).toEqual([100, 30, undefined, 40])
})

it('reads calls of every kind', async () => {
  const home = tempHome()
  put(pathOf(home, 's'), [
    meta('s'),
    item({ type: 'custom_tool_call', call_id: 'p', name: 'apply_patch', input: '*** Begin Patch' }, 1),
    item({ type: 'custom_tool_call_output', call_id: 'p', output: 'unknown' }, 3),
    event({ type: 'patch_apply_end', call_id: 'q', success: false }),
    item({ type: 'local_shell_call', call_id: 'q', action: { type: 'exec', command: ['ls'] } }),
    output('q', [
      { type: 'input_text', text: 'text' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ]),
    item({ type: 'web_search_call', action: { type: 'search', query: 'cats' } }),
    item({
      type: 'function_call',
      call_id: 'm',
      namespace: 'mcp__docs',
      name: 'find',
      arguments: 'not json',
    }),
    item({ type: 'image_generation_call', id: 'i', revised_prompt: 'a cat', result: 'BBBB' }),
  ])
  const blocks = messagesOf(await readOne(home, 's')).flatMap(({ content }) => content)
  expect(blocks).toMatchObject([
    { tool: 'apply_patch', input: '*** Begin Patch' },
    { id: 'p', ok: null, duration_ms: 2_000 },
    { tool: 'local_shell', input: { command: ['ls'] } },
    { id: 'q', ok: false, text: 'text' },
    { type: 'image', media_type: 'image/png', data: 'AAAA' },
    { tool: 'web_search', input: { query: 'cats' } },
    { tool: 'mcp__docs__find', input: 'not json' },
    { tool: 'image_generation', input: { prompt: 'a cat' } },
    { type: 'image', data: 'BBBB' },
  ])
})

it('reports unknown content and continues', async () => {
  const home = tempHome()
  put(pathOf(home, 's'), [
    meta('s'),
    { type: 'riddle', payload: {} },
    item({ type: 'riddle' }),
    item({ type: 'message', role: 'oracle', content: 'a' }),
    { type: 'world_state', payload: {} },
  ])
  appendFileSync(
    pathOf(home, 's'),
    `[1]\nnot json\n{"type":"event_msg","payload":7}\n${lineOf(messageItem('user', 'last'))}`,
  )
  const records = await readOne(home, 's')
  expect(spoken(records)).toEqual(['last'])
  expect(records.filter(({ kind }) => kind === 'skipped')).toHaveLength(6)
})

it('reads rollouts of the first versions, which had no payloads', async () => {
  const home = tempHome()
  const lines = [
    { id: 'old', timestamp: '2025-06-01T10:00:00Z', instructions: null },
    { record_type: 'state' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c' },
    { type: 'function_call_output', call_id: 'c', output: '{"output":"x","metadata":{"exit_code":0}}' },
  ]
  const path = join(home, 'sessions', '2025', '06', '01', 'rollout-2025-06-01T10-00-00-old.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const records = await readOne(home, 'old')
  expect(messagesOf(records).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(sessionOf(records).started_at).toBe(Date.UTC(2025, 5, 1, 10))
})

it('reads a compressed rollout, and the available part of an incomplete one', async () => {
  const home = tempHome()
  const path = pathOf(home, 's')
  put(path, [
    meta('s'),
    ...Array.from({ length: 500 }, (_, n) => messageItem('user', `${n} ${'x'.repeat(900)}`)),
  ])
  const source = codexSource(home)
  const before = spoken(await read(source, await find(source, 's')))
  const packed = zstdCompressSync(readFileSync(path))
  writeFileSync(`${path}.zst`, packed)
  expect((await find(source, 's')).place).toBe(path)
  rmSync(path)
  const one = await find(source, 's')
  expect(one.place).toBe(`${path}.zst`)
  expect(spoken(await read(source, one))).toEqual(before)
  writeFileSync(`${path}.zst`, packed.subarray(0, packed.length / 2))
  const half = await find(source, 's')
  const records = await read(source, half)
  expectWhole(records, half)
  expect(before.slice(0, spoken(records).length)).toEqual(spoken(records))
  expect(records).toContainEqual(expect.objectContaining({ kind: 'skipped' }))
})

it('finds a thread in the archive and detects that it was moved or renamed', async () => {
  const home = tempHome()
  const path = pathOf(home, 's')
  put(path, [meta('s'), messageItem('user', 'hello')])
  const source = codexSource(home)
  const first = await find(source, 's')
  writeFileSync(
    join(home, 'session_index.jsonl'),
    '{"id":"s","thread_name":"old"}\n{"id":"s","thread_name":" New "}\n',
  )
  const named = await find(source, 's')
  mkdirSync(join(home, 'archived_sessions'))
  renameSync(path, join(home, 'archived_sessions', 'rollout-2026-09-01T10-00-00-s.jsonl'))
  const archived = await find(source, 's')
  expect(new Set([first, named, archived].map(({ fingerprint }) => fingerprint)).size).toBe(3)
  expect(sessionOf(await read(source, archived)).title).toBe('New')
  expect(spoken(await read(source, { ...first }))).toEqual(['hello'])
})

it('nests agents of agents in the top thread and lists orphans separately', async () => {
  const home = tempHome()
  const agent = (parent: string, role: string) => ({
    source: {
      subagent: { thread_spawn: { parent_thread_id: parent, agent_role: role, agent_nickname: 'Ada' } },
    },
  })
  put(pathOf(home, 'top'), [meta('top'), messageItem('user', 'go')])
  put(pathOf(home, 'child'), [meta('child', agent('top', 'explorer')), messageItem('user', 'look', 9)])
  put(pathOf(home, 'deep'), [meta('deep', agent('child', 'worker')), messageItem('user', 'dig', 9)])
  put(pathOf(home, 'lost'), [meta('lost', agent('nobody', 'worker')), messageItem('user', 'where', 9)])
  put(pathOf(home, 'round'), [meta('round', agent('round', 'worker')), messageItem('user', 'and round', 9)])
  const source = codexSource(home)
  expect((await listed(source)).map(({ id }) => id).sort()).toEqual(['lost', 'round', 'top'])
  const records = await readOne(home, 'top')
  const agents = records.flatMap((record) => (record.kind === 'agent' ? [record.agent] : []))
  expect(agents.slice(-2)).toMatchObject([
    { id: 'child', parent_id: 'main', subagent_type: 'explorer', description: 'Ada' },
    { id: 'deep', parent_id: 'child', subagent_type: 'worker' },
  ])
  expect(spoken(records)).toEqual(['go', 'look', 'dig'])
  expect(sessionOf(await readOne(home, 'lost'))).toMatchObject({ lineage: 'subagent', parent_id: 'nobody' })
  const before = await find(source, 'top')
  appendFileSync(pathOf(home, 'deep'), lineOf(messageItem('user', 'more')))
  expect((await find(source, 'top')).fingerprint).not.toBe(before.fingerprint)
})

const json = fc.jsonValue()
const payload = fc.dictionary(
  fc.constantFrom(
    'type',
    'role',
    'content',
    'call_id',
    'output',
    'arguments',
    'info',
    'turn_id',
    'id',
    'item',
    'message',
    'summary',
  ),
  fc.oneof(
    json,
    fc.constantFrom('message', 'user', 'reasoning', 'function_call', 'token_count', 'item_completed'),
  ),
)
const line = fc.record({
  type: fc.constantFrom(
    'session_meta',
    'response_item',
    'event_msg',
    'turn_context',
    'compacted',
    'token_usage_record',
    'x',
  ),
  timestamp: fc.oneof(json, fc.constant('2026-09-01T10:00:00Z')),
  payload: fc.oneof(json, payload),
})

it('survives arbitrary rollout content', async () => {
  const home = tempHome()
  const source = codexSource(home)
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      mkdirSync(dirname(pathOf(home, 's')), { recursive: true })
      writeFileSync(pathOf(home, 's'), lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
      const one = await find(source, 's')
      expectWhole(await read(source, one), one)
    }),
    { numRuns: 150 },
  )
})
