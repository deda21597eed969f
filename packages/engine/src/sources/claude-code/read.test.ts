import { appendFileSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { agentsOf, expectWhole, find, messagesOf, read, sessionOf, textsOf } from '../battery/records.ts'
import {
  agentPathOf,
  asked,
  call,
  linesOf,
  pathOf,
  put,
  readOne,
  replied,
  result,
  spent,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

it('makes one message of the rows of a reply, with the usage of the last, and the results after it', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    asked('go'),
    replied('m', 'on it', [100, 1]),
    replied('m', [call('a', 'Bash')], [100, 1]),
    result('a', { durationMs: 12.4 }),
    replied('m', [call('b', 'Read')], [100, 40]),
    result('b'),
    replied('n', 'done', [200, 5]),
  ])
  const records = await readOne(folder, 's')
  expect(messagesOf(records)).toMatchObject([
    { role: 'user' },
    {
      id: 'm',
      model: 'claude-opus-4-8',
      content: [{ text: 'on it' }, { tool: 'Bash' }, { tool: 'Read' }],
      usage: { input: 100, output: 40, cache_read: null },
    },
    { role: 'tool', content: [{ id: 'a', ok: true, duration_ms: 12 }] },
    { role: 'tool', content: [{ id: 'b', duration_ms: null }] },
    { id: 'n' },
  ])
  expect(spent(records)).toEqual({ input: 300, output: 45, unknown: 0 })
})

it('pays for a reply that goes on after a person’s row what it took more', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    replied('m', 'a', [1_000, 100]),
    asked('wait'),
    replied('m', 'b', [1_000, 500]),
    asked('and'),
    replied('m', 'c', [1_000, 300]),
  ])
  const records = await readOne(folder, 's')
  expect(textsOf(records)).toEqual(['a', 'wait', 'b', 'and', 'c'])
  expect(spent(records)).toEqual({ input: 1_000, output: 500, unknown: 0 })
})

it('pays once for a reply that stands in an agent’s file, too, whichever has the larger usage', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [replied('m', 'a', [1_000, 100]), replied('n', 'b', [1_000, 300])])
  put(agentPathOf(folder, 's', 'x'), [replied('m', 'a', [1_000, 300]), replied('n', 'b', [1_000, 300])])
  const records = await readOne(folder, 's')
  expect(spent(records)).toEqual({ input: 2_000, output: 600, unknown: 0 })
})

it('says once of a reply that its usage is not known, and takes replies without ids for different ones', async () => {
  const folder = tempProjects()
  const silent = { message: { id: 'm', model: 'claude-opus-4-8', content: 'a' } }
  put(pathOf(folder, 's'), [
    asked('go', 0, { type: 'assistant', ...silent }),
    asked('and'),
    asked('go', 0, { type: 'assistant', ...silent }),
    replied('', 'x', [10, 1], { uuid: '' }),
    replied('', 'y', [10, 1], { uuid: '' }),
  ])
  expect(spent(await readOne(folder, 's'))).toEqual({ input: 20, output: 2, unknown: 1 })
})

it('shows what the client says in a model’s place, and counts it as nobody’s', async () => {
  const folder = tempProjects()
  const message = {
    id: 'e',
    model: '<synthetic>',
    content: 'API Error',
    usage: { input_tokens: 9, output_tokens: 9 },
  }
  put(pathOf(folder, 's'), [asked('go'), replied('m', 'a', [1, 1], { message })])
  const records = await readOne(folder, 's')
  expect(messagesOf(records).at(-1)).toMatchObject({
    model: null,
    usage: null,
    content: [{ text: 'API Error' }],
  })
  expect([spent(records), sessionOf(records).model]).toEqual([{ input: 0, output: 0, unknown: 0 }, null])
})

it('tells a compaction’s summary from what was said, and takes no title from it', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    asked('what was before', 0, { isCompactSummary: true }),
    asked('for the model', 1, { isMeta: true }),
    asked('go on', 2),
    asked('shown only', 3, { isVisibleInTranscriptOnly: true }),
  ])
  const records = await readOne(folder, 's')
  expect(messagesOf(records).map(({ state, hidden }) => `${state} ${hidden}`)).toEqual([
    'summary false',
    'active true',
    'active false',
    'active true',
  ])
  expect(sessionOf(records).title).toBe('go on')
})

it('gives what was asked while the agent worked', async () => {
  const folder = tempProjects()
  const queued = (prompt: unknown, more = {}) =>
    asked('', 2, {
      type: 'attachment',
      message: null,
      attachment: { type: 'queued_command', prompt, ...more },
    })
  put(pathOf(folder, 's'), [
    replied('m', [call('a', 'Bash')], [1, 1]),
    result('a'),
    queued('faster', { commandMode: 'prompt' }),
    queued([{ type: 'text', text: 'and shorter' }]),
    queued('<task-notification>', { commandMode: 'task-notification' }),
    asked('', 2, { type: 'attachment', message: null, attachment: { type: 'date', prompt: 'no' } }),
  ])
  const asks = messagesOf(await readOne(folder, 's')).filter(({ role }) => role === 'user')
  expect(asks.map(({ content, hidden }) => [content[0], hidden])).toEqual([
    [{ type: 'text', text: 'faster' }, false],
    [{ type: 'text', text: 'and shorter' }, false],
    [{ type: 'text', text: '<task-notification>' }, true],
  ])
})

it('gives the rows of side chains to their agents', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    replied('m', [call('t')], [1, 1]),
    replied('x', 'one', [10, 1], { isSidechain: true, agentId: 'x' }),
    replied('y', 'two', [20, 1], { isSidechain: true }),
    replied('x', 'three', [10, 5], { isSidechain: true, agentId: 'x' }),
    result('t', { agentId: 'x' }),
  ])
  const records = await readOne(folder, 's')
  expectWhole(records, await find(claudeCodeSource(folder), 's'))
  expect(messagesOf(records).map(({ agent_id, id }) => `${agent_id} ${id}`)).toEqual(
    expect.arrayContaining(['main m', 'x x', 'sidechain y']),
  )
  expect(agentsOf(records).get('x')).toMatchObject({ parent_id: 'main', tool_use_id: 't' })
  expect(spent(records)).toEqual({ input: 31, output: 7, unknown: 0 })
})

const LINKS = {
  'the file beside it': [{ toolUseId: 'two' }, []],
  'its parent in that file': [{ parentAgentId: 'outer' }, []],
  'the result of the call': [undefined, [result('two', { agentId: 'inner' })]],
  'a progress row': [undefined, [{ type: 'progress', parentToolUseID: 'two', data: { agentId: 'inner' } }]],
  'a queued task': [
    undefined,
    [
      {
        type: 'queue-operation',
        content: JSON.stringify({ task_type: 'local_agent', task_id: 'inner', tool_use_id: 'two' }),
      },
    ],
  ],
  'a queued notice': [
    undefined,
    [
      {
        type: 'queue-operation',
        content:
          '<task-notification>\n<task-id>inner</task-id>\n<tool-use-id>two</tool-use-id>\n</task-notification>',
      },
    ],
  ],
} as const

it.each(Object.entries(LINKS))('nests agents two deep by %s', async (_how, [meta, rows]) => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [replied('m', [call('one')], [1, 1]), result('one', { agentId: 'outer' })])
  put(agentPathOf(folder, 's', 'inner'), [replied('i', 'inner', [1, 1])], meta)
  put(agentPathOf(folder, 's', 'outer'), [replied('o', [call('two')], [1, 1]), ...rows])
  const agents = agentsOf(await readOne(folder, 's'))
  expect([agents.get('outer')?.parent_id, agents.get('inner')?.parent_id]).toEqual(['main', 'outer'])
})

it('nests no agent in itself, in a circle, or in one that is not there', async () => {
  const folder = tempProjects()
  const given = replied('m', [call('one')], [1, 1])
  put(pathOf(folder, 's'), [])
  put(agentPathOf(folder, 's', 'a'), [given], { toolUseId: 'one' })
  put(agentPathOf(folder, 's', 'b'), [], { parentAgentId: 'c' })
  put(agentPathOf(folder, 's', 'c'), [], { parentAgentId: 'b' })
  put(agentPathOf(folder, 's', 'd'), [], { parentAgentId: 'gone' })
  const agents = agentsOf(await readOne(folder, 's'))
  expect([...agents].map(([id, { parent_id }]) => `${id} in ${parent_id}`)).toEqual([
    'main in null',
    'a in main',
    'b in main',
    'c in main',
    'd in main',
  ])
})

const copyOf = (row: Readonly<Record<string, unknown>>, from: string) => ({
  ...row,
  sessionId: 'fork',
  forkedFrom: { sessionId: from, messageUuid: row.uuid },
})

it('counts in a branch only what was said in it, and says what it is a branch of', async () => {
  const folder = tempProjects()
  const first = [
    asked('go', 0, { sessionId: 'old', cwd: '/home/dev/atlas' }),
    replied('m', 'a', [1_000, 10], { sessionId: 'old' }),
    replied('n', 'b', [1_000, 10], { sessionId: 'old' }),
  ]
  put(pathOf(folder, 'old'), first)
  put(pathOf(folder, 'fork'), [
    ...first.map((row) => copyOf(row, 'old')),
    asked('another way', 60, { sessionId: 'fork' }),
    replied('o', 'c', [1_000, 10], { sessionId: 'fork', timestamp: '2026-09-01T10:02:00Z' }),
  ])
  put(agentPathOf(folder, 'fork', 'x'), [copyOf(replied('x', 'x', [1_000, 10]), 'old')])
  const fork = await readOne(folder, 'fork')
  expect(textsOf(fork)).toEqual(['another way', 'c'])
  expect([...agentsOf(fork).keys()]).toEqual(['main'])
  expect(spent(fork)).toEqual({ input: 1_000, output: 10, unknown: 0 })
  expect(sessionOf(fork)).toMatchObject({
    parent_id: 'old',
    lineage: 'branch',
    title: 'another way',
    project: 'atlas',
    started_at: Date.UTC(2026, 8, 1, 10, 1),
  })
  const old = await readOne(folder, 'old')
  expect(spent(old)).toEqual({ input: 2_000, output: 20, unknown: 0 })
  expect(sessionOf(old)).toMatchObject({ parent_id: null, lineage: 'root' })
})

it('places a branch in which nothing was said yet where its copies are from', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 'fork'), [copyOf(asked('go', 5, { cwd: '/home/dev/atlas' }), 'old')])
  const records = await readOne(folder, 'fork')
  expect(messagesOf(records)).toEqual([])
  expect(sessionOf(records)).toMatchObject({
    parent_id: 'old',
    cwd: '/home/dev/atlas',
    last_at: Date.UTC(2026, 8, 1, 10, 0, 5),
  })
})

it('leaves out the rows of another session, and those of its own that stand there again', async () => {
  const folder = tempProjects()
  const own = [asked('mine', 5, { sessionId: 's' }), replied('n', 'b', [10, 1], { sessionId: 's' })]
  put(pathOf(folder, 's'), [
    asked('theirs', 0, { sessionId: 'other' }),
    replied('m', 'a', [1_000, 1], { sessionId: 'other' }),
    ...own,
    ...own,
    asked('more', 9, { sessionId: 's' }),
  ])
  const records = await readOne(folder, 's')
  expect(textsOf(records)).toEqual(['mine', 'b', 'more'])
  expect(spent(records)).toEqual({ input: 10, output: 1, unknown: 0 })
  expect(sessionOf(records)).toMatchObject({ parent_id: 'other', lineage: 'branch' })
})

it('reads a transcript whose file somebody gave another name', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 'kept'), [
    asked('a', 0, { sessionId: 's' }),
    replied('m', 'b', [1, 1], { sessionId: 's' }),
  ])
  put(agentPathOf(folder, 'kept', 'x'), [replied('x', 'c', [1, 1], { sessionId: 't' })])
  const records = await readOne(folder, 'kept')
  expect(textsOf(records)).toEqual(['a', 'b', 'c'])
  expect(sessionOf(records)).toMatchObject({ id: 'kept', lineage: 'root' })
})

it('takes a last line that is whole and has no end, and leaves out one that is being written', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [asked('a')])
  const line = linesOf([asked('b')]).trimEnd()
  appendFileSync(pathOf(folder, 's'), line)
  expect(textsOf(await readOne(folder, 's'))).toEqual(['a', 'b'])
  appendFileSync(pathOf(folder, 's'), `\n${line.slice(0, -1)}`)
  const records = await readOne(folder, 's')
  expect(textsOf(records)).toEqual(['a', 'b'])
  expect(records.filter(({ kind }) => kind === 'skipped')).toEqual([])
})

it('gives the first and last time of rows that are out of order', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [asked('b', 7), asked('c', 9), asked('a', 3)])
  expect(sessionOf(await readOne(folder, 's'))).toMatchObject({
    started_at: Date.UTC(2026, 8, 1, 10, 0, 3),
    last_at: Date.UTC(2026, 8, 1, 10, 0, 9),
  })
})

it('prefers the title that a person gave', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    asked('first line\nsecond'),
    { type: 'custom-title', customTitle: 'given' },
    { type: 'ai-title', aiTitle: 'made' },
  ])
  expect(sessionOf(await readOne(folder, 's')).title).toBe('given')
})

it('says that a session went between listing and reading', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [asked('a')])
  const source = claudeCodeSource(folder)
  const one = await find(source, 's')
  rmSync(pathOf(folder, 's'))
  expect((await read(source, one)).at(-1)).toMatchObject({ failure: { code: 'not_found' } })
})
