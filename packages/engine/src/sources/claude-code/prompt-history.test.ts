import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { all, expectWhole, find, messagesOf, sessionOf, textsOf } from '../conformance/records.ts'
import type { Listed, SessionSource } from '../port.ts'
import { linesOf, pathOf, promptRow, put, type Row, tempProjects } from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'
import { promptHistoryFile } from './places.ts'
import { PromptHistory } from './prompt-history.ts'

const NOBODY = (_id: string): boolean => false
const START = Date.UTC(2026, 5, 1)

/** A line of the history, as newer clients write it. `at` is in seconds. */
const line = (sessionId: string, display: string, at = 0, more: Row = {}): Row => ({
  display,
  pastedContents: {},
  timestamp: START + at * 1_000,
  project: '/home/dev/atlas',
  sessionId,
  ...more,
})

function history(lines: readonly Row[] = []) {
  const projects = join(tempProjects(), 'projects')
  const file = promptHistoryFile(projects)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, linesOf(lines))
  return { projects, file, source: claudeCodeSource(projects) }
}

function listAll(source: Pick<SessionSource, 'listPromptsOnly'>, isKnown = NOBODY) {
  if (source.listPromptsOnly === undefined) throw new Error('the source lists no prompts')
  return all(source.listPromptsOnly(isKnown))
}

async function listed(source: Pick<SessionSource, 'listPromptsOnly'>, isKnown = NOBODY) {
  const records = await listAll(source, isKnown)
  return records.map((record) => {
    if (record.kind === 'failed') throw new Error(record.failure.message)
    return record as Listed
  })
}

async function readOne(source: SessionSource, id: string) {
  const one = (await listed(source)).find((each) => each.id === id)
  if (one === undefined) throw new Error(`${id} is not listed`)
  const records = await all(source.read(one))
  expectWhole(records, one)
  return records
}

const texts = async (source: SessionSource, id: string) => textsOf(await readOne(source, id))

it('makes a session of the prompts that name it', async () => {
  const { source, file } = history([
    line('a', 'Find the leak', 1),
    line('b', 'Something else', 2, { project: '/home/dev/other' }),
    line('a', 'Now close it', 3),
  ])
  expect(await listed(source)).toMatchObject([
    { id: 'a', place: file, promptsOnly: true },
    { id: 'b', place: file, promptsOnly: true },
  ])
  const records = await readOne(source, 'a')
  expect(sessionOf(records)).toMatchObject({
    source: 'claude-code',
    title: 'Find the leak',
    project: 'atlas',
    cwd: '/home/dev/atlas',
    started_at: START + 1_000,
    last_at: START + 3_000,
    model: null,
    prompts_only: true,
  })
  expect(messagesOf(records)).toMatchObject([
    { role: 'user', ts: START + 1_000, content: [{ type: 'text', text: 'Find the leak' }], usage: null },
    { role: 'user', ts: START + 3_000, content: [{ type: 'text', text: 'Now close it' }] },
  ])
})

it('leaves out sessions that are known otherwise or forgotten, and lines without a session', async () => {
  const { projects } = history([
    line('known', 'one'),
    line('forgotten', 'two'),
    { display: 'of an older client', timestamp: START, project: '/x' },
    line('left', 'three'),
  ])
  const source = claudeCodeSource(projects, (id) => id === 'forgotten')
  expect((await listed(source, (id) => id === 'known')).map(({ id }) => id)).toEqual(['left'])
})

it('orders prompts by time and shows a prompt that is recorded twice once', async () => {
  const { source } = history([
    line('a', 'third', 30),
    line('b', 'between', 5),
    line('a', 'first', 10),
    line('a', 'second', 20),
    line('a', 'first', 10),
    line('a', 'second', 25),
  ])
  expect(await texts(source, 'a')).toEqual(['first', 'second', 'second', 'third'])
  expect(sessionOf(await readOne(source, 'a')).title).toBe('first')
})

it('includes pasted texts that stand in the line, and leaves out those that stand elsewhere', async () => {
  const pasted = {
    1: { id: 1, type: 'text', content: 'the log $& of it' },
    2: { id: 2, type: 'text', contentHash: '0f3a' },
    3: { id: 3, type: 'image', content: 'AAAA' },
    4: { id: 4, type: 'text', content: 'at the end' },
  }
  const { source } = history([
    line('a', 'See [Pasted text #1 +42 lines], [Pasted text #2 +9 lines] and [Image #3]', 0, {
      pastedContents: pasted,
    }),
    line('a', '', 1, { pastedContents: { 1: { id: 1, type: 'text', content: 'only pasted' } } }),
    line('a', '[...Truncated text #1 +3 lines...]', 2, {
      pastedContents: [{ id: 1, type: 'text', content: 'in a list' }],
    }),
  ])
  expect(await texts(source, 'a')).toEqual([
    'See the log $& of it, [Pasted text #2 +9 lines] and [Image #3]\n\nat the end',
    'only pasted',
    'in a list',
  ])
})

it('leaves out sessions with nothing but commands to the client', async () => {
  const { source } = history([
    line('a', '/resume'),
    line('b', '/model opus'),
    line('b', 'exit', 1),
    line('c', '/clear'),
    line('c', '/review the parser', 1),
    line('d', '/models of the world'),
  ])
  expect((await listed(source)).map(({ id }) => id)).toEqual(['c', 'd'])
  expect(sessionOf(await readOne(source, 'c')).title).toBe('/review the parser')
})

it('skips broken lines and reports them with the session around them', async () => {
  const { source, file } = history()
  const half = JSON.stringify(line('a', 'lost')).slice(0, 30)
  writeFileSync(
    file,
    `not json\n${linesOf([line('a', 'one')])}${half}\n\n[1]\n${linesOf([line('a', 'two', 1), line('b', 'x')])}`,
  )
  const records = await readOne(source, 'a')
  expect(textsOf(records)).toEqual(['one', 'two'])
  expect(records.filter(({ kind }) => kind === 'skipped')).toEqual([
    { kind: 'skipped', place: `${file}:1`, reason: 'is not JSON' },
    { kind: 'skipped', place: `${file}:3`, reason: 'is not JSON' },
    { kind: 'skipped', place: `${file}:5`, reason: 'is not a JSON object' },
  ])
  expect((await readOne(source, 'b')).filter(({ kind }) => kind === 'skipped')).toEqual([])
})

it('keeps values of other types from breaking a session', async () => {
  const { source } = history([
    line('a', 'no time', 0, { timestamp: 'soon', project: 7, pastedContents: 'x' }),
    { sessionId: 'a', display: 5 },
    { sessionId: 12, display: 'a number is no id' },
    line('__proto__', 'an odd name'),
  ])
  expect((await listed(source)).map(({ id }) => id)).toEqual(['a', '__proto__'])
  const records = await readOne(source, 'a')
  expect(textsOf(records)).toEqual(['no time'])
  expect(sessionOf(records)).toMatchObject({ started_at: null, cwd: null, project: null })
})

it('bounds the reports of broken lines', async () => {
  const { source, file } = history([line('a', 'one')])
  appendFileSync(file, 'x\n'.repeat(1_000))
  const skipped = (await readOne(source, 'a')).filter(({ kind }) => kind === 'skipped')
  expect(skipped).toHaveLength(101)
  expect(skipped.at(-1)).toMatchObject({ reason: '900 more lines are not JSON objects' })
})

it('reads a prompt whose line has no end yet, once', async () => {
  const { source, file } = history([line('a', 'one')])
  const whole = JSON.stringify(line('b', 'without an end'))
  appendFileSync(file, whole.slice(0, 20))
  expect((await listed(source)).map(({ id }) => id)).toEqual(['a'])
  appendFileSync(file, whole.slice(20))
  expect(await texts(source, 'b')).toEqual(['without an end'])
  appendFileSync(file, `\n${linesOf([line('b', 'more', 1)])}`)
  expect(await texts(source, 'b')).toEqual(['without an end', 'more'])
  expect(await listed(source)).toEqual(await listed(claudeCodeSource(join(dirname(file), 'projects'))))
})

it('changes the fingerprint of exactly the sessions that changed', async () => {
  const { source, file } = history([line('a', 'one'), line('b', 'two')])
  const fingerprints = async () => new Map((await listed(source)).map((each) => [each.id, each.fingerprint]))
  const before = await fingerprints()
  appendFileSync(file, linesOf([line('b', 'three', 1)]))
  const after = await fingerprints()
  expect(after.get('a')).toBe(before.get('a'))
  expect(after.get('b')).not.toBe(before.get('b'))
  utimesSync(file, 1, 1)
  expect(await fingerprints()).toEqual(after)
})

it('starts again when the file is replaced, cut or removed', async () => {
  const { source, file } = history([line('a', 'one'), line('a', 'two', 1)])
  const ids = async () => (await listed(source)).map(({ id }) => id)
  expect(await ids()).toEqual(['a'])
  writeFileSync(
    file,
    linesOf([line('c', 'other words, so that the file is longer than before'), line('d', 'x')]),
  )
  expect(await ids()).toEqual(['c', 'd'])
  truncateSync(file, linesOf([line('c', 'other words, so that the file is longer than before')]).length)
  expect(await ids()).toEqual(['c'])
  rmSync(file)
  expect(await ids()).toEqual([])
  writeFileSync(file, linesOf([line('e', 'again')]))
  expect(await ids()).toEqual(['e'])
})

it('reads a session at its new place after the file was replaced', async () => {
  const { source, file } = history([line('a', 'one'), line('b', 'two')])
  const [, b] = await listed(source)
  if (b === undefined) throw new Error('b is not listed')
  writeFileSync(file, linesOf([line('b', 'two'), line('z', 'a longer line than the ones that stood here')]))
  expect(textsOf(await all(source.read(b)))).toEqual(['two'])
  writeFileSync(file, linesOf([line('z', 'alone')]))
  expect(await all(source.read(b))).toMatchObject([{ kind: 'failed', failure: { code: 'not_found' } }])
})

it('finds single messages by their ids', async () => {
  const { source } = history([line('a', 'one'), line('a', 'two', 1)])
  const [first, second] = messagesOf(await readOne(source, 'a'))
  const [one] = await listed(source)
  if (one === undefined || second === undefined) throw new Error('not listed')
  expect(first?.id).not.toBe(second.id)
  expect(await source.find?.(one, [second.id, 'other'])).toEqual([second])
})

it('reports a history that cannot be read, and none that is missing', async () => {
  const { projects, file, source } = history()
  rmSync(file)
  expect(await all(new PromptHistory(file).list(NOBODY))).toEqual([])
  mkdirSync(file)
  expect(await listAll(source)).toMatchObject([
    { kind: 'failed', failure: { code: 'io', message: expect.stringContaining(file) } },
  ])
  put(pathOf(projects, 's'), [promptRow('go')])
  expect(await find(source, 's')).toMatchObject({ id: 's' })
})

it('reads a hundred thousand lines once, and then only what was added', async () => {
  const { source, file } = history()
  const lines = Array.from({ length: 100_000 }, (_, n) => line(`s${n % 5_000}`, `prompt ${n}`, n))
  writeFileSync(file, linesOf(lines))
  const before = await listed(source)
  expect(before).toHaveLength(5_000)
  // A change of the same length far from the end would be seen only by reading all of it again.
  const handle = openSync(file, 'r+')
  writeSync(handle, linesOf([line('s0', 'changed!')]), 0)
  closeSync(handle)
  appendFileSync(file, linesOf([line('new', 'the last one', 1)]))
  const after = await listed(source)
  expect(after.slice(0, -1)).toEqual(before)
  expect(await texts(source, 'new')).toEqual(['the last one'])
  expect(await texts(source, 's7')).toHaveLength(20)
})
