import { appendFileSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { find, messagesOf, read, sessionOf, textsOf } from '../conformance/records.ts'
import {
  agentPathOf,
  call,
  linesOf,
  pathOf,
  promptRow,
  put,
  readOne,
  replied,
  result,
  spent,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

it('merges the rows of a reply with the usage of the last row and puts the results after it', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    promptRow('go'),
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

it("adds the additional usage of a reply that continues after a person's row", async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    replied('m', 'a', [1_000, 100]),
    promptRow('wait'),
    replied('m', 'b', [1_000, 500]),
    promptRow('and'),
    replied('m', 'c', [1_000, 300]),
  ])
  const records = await readOne(folder, 's')
  expect(textsOf(records)).toEqual(['a', 'wait', 'b', 'and', 'c'])
  expect(spent(records)).toEqual({ input: 1_000, output: 500, unknown: 0 })
})

it("counts a reply that also occurs in an agent's file once, with the larger usage", async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [replied('m', 'a', [1_000, 100]), replied('n', 'b', [1_000, 300])])
  put(agentPathOf(folder, 's', 'x'), [replied('m', 'a', [1_000, 300]), replied('n', 'b', [1_000, 300])])
  const records = await readOne(folder, 's')
  expect(spent(records)).toEqual({ input: 2_000, output: 600, unknown: 0 })
})

it('reports unknown usage once per reply and treats replies without ids as different', async () => {
  const folder = tempProjects()
  const silent = { message: { id: 'm', model: 'claude-opus-4-8', content: 'a' } }
  put(pathOf(folder, 's'), [
    promptRow('go', 0, { type: 'assistant', ...silent }),
    promptRow('and'),
    promptRow('go', 0, { type: 'assistant', ...silent }),
    replied('', 'x', [10, 1], { uuid: '' }),
    replied('', 'y', [10, 1], { uuid: '' }),
  ])
  expect(spent(await readOne(folder, 's'))).toEqual({ input: 20, output: 2, unknown: 1 })
})

it("shows the client's own messages without counting them for a model", async () => {
  const folder = tempProjects()
  const message = {
    id: 'e',
    model: '<synthetic>',
    content: 'API Error',
    usage: { input_tokens: 9, output_tokens: 9 },
  }
  put(pathOf(folder, 's'), [promptRow('go'), replied('m', 'a', [1, 1], { message })])
  const records = await readOne(folder, 's')
  expect(messagesOf(records).at(-1)).toMatchObject({
    model: null,
    usage: null,
    content: [{ text: 'API Error' }],
  })
  expect([spent(records), sessionOf(records).model]).toEqual([{ input: 0, output: 0, unknown: 0 }, null])
})

it("marks a compaction's summary and takes no title from it", async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    promptRow('what was before', 0, { isCompactSummary: true }),
    promptRow('for the model', 1, { isMeta: true }),
    promptRow('go on', 2),
    promptRow('shown only', 3, { isVisibleInTranscriptOnly: true }),
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

it('includes prompts that were queued while the agent worked', async () => {
  const folder = tempProjects()
  const queued = (prompt: unknown, more = {}) =>
    promptRow('', 2, {
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
    promptRow('', 2, { type: 'attachment', message: null, attachment: { type: 'date', prompt: 'no' } }),
  ])
  const asks = messagesOf(await readOne(folder, 's')).filter(({ role }) => role === 'user')
  expect(asks.map(({ content, hidden }) => [content[0], hidden])).toEqual([
    [{ type: 'text', text: 'faster' }, false],
    [{ type: 'text', text: 'and shorter' }, false],
    [{ type: 'text', text: '<task-notification>' }, true],
  ])
})

it('reads a complete last line without a line end and skips one that is being written', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [promptRow('a')])
  const line = linesOf([promptRow('b')]).trimEnd()
  appendFileSync(pathOf(folder, 's'), line)
  expect(textsOf(await readOne(folder, 's'))).toEqual(['a', 'b'])
  appendFileSync(pathOf(folder, 's'), `\n${line.slice(0, -1)}`)
  const records = await readOne(folder, 's')
  expect(textsOf(records)).toEqual(['a', 'b'])
  expect(records.filter(({ kind }) => kind === 'skipped')).toEqual([])
})

it('finds the first and last time of unordered rows', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [promptRow('b', 7), promptRow('c', 9), promptRow('a', 3)])
  expect(sessionOf(await readOne(folder, 's'))).toMatchObject({
    started_at: Date.UTC(2026, 8, 1, 10, 0, 3),
    last_at: Date.UTC(2026, 8, 1, 10, 0, 9),
  })
})

it('prefers the title that a person gave', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    promptRow('first line\nsecond'),
    { type: 'custom-title', customTitle: 'given' },
    { type: 'ai-title', aiTitle: 'made' },
  ])
  expect(sessionOf(await readOne(folder, 's')).title).toBe('given')
})

it('reports a session that disappeared after listing', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [promptRow('a')])
  const source = claudeCodeSource(folder)
  const one = await find(source, 's')
  rmSync(pathOf(folder, 's'))
  expect((await read(source, one)).at(-1)).toMatchObject({ failure: { code: 'not_found' } })
})

it('does not report a session as gone when another of its files is', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    promptRow('a'),
    ...Array.from({ length: 3_000 }, (_, at) => promptRow('b'.repeat(200), at)),
  ])
  put(agentPathOf(folder, 's', 'x'), [promptRow('x')])
  const source = claudeCodeSource(folder)
  const codes: string[] = []
  for await (const record of source.read(await find(source, 's'))) {
    if (record.kind === 'message') rmSync(agentPathOf(folder, 's', 'x'), { force: true })
    if (record.kind === 'failed') codes.push(record.failure.code)
  }
  expect(codes).toEqual(['io'])
  rmSync(pathOf(folder, 's'))
  const gone = await read(source, { id: 's', fingerprint: '', place: pathOf(folder, 's') })
  expect(gone.at(-1)).toMatchObject({ kind: 'failed', failure: { code: 'not_found' } })
})
