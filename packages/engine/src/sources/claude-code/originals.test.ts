import { randomUUID } from 'node:crypto'
import { rmSync, utimesSync } from 'node:fs'
import { expect, it } from 'vitest'
import { find, read, sessionOf, textsOf } from '../conformance/records.ts'
import {
  pathOf,
  promptRow,
  put,
  type Row,
  readOne,
  replied,
  spent,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

const named = (row: Row): Row => ({ ...row, uuid: randomUUID() })
const under = (sessionId: string, rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => ({ ...row, sessionId }))

/** The client queues the prompt before it writes the copy. */
const queued = (seconds: number): Row => ({ ...promptRow('', seconds), type: 'queue-operation' })

const first = () => [named(promptRow('go')), named(replied('m', 'a', [1_000, 10]))]

it('counts rows that a forked session copied where they were written', async () => {
  const folder = tempProjects()
  const begun = first()
  const branched = [...begun, named(promptRow('another way', 60)), named(replied('n', 'b', [1_000, 10]))]
  put(
    pathOf(folder, 'z'),
    under('z', [...begun, named(promptRow('on', 90)), named(replied('o', 'c', [1_000, 10]))]),
  )
  put(pathOf(folder, 'y'), under('y', [queued(59), ...branched]))
  put(pathOf(folder, 'x'), under('x', [queued(99), ...branched, named(promptRow('a third way', 100))]))
  const [old, fork, second] = [
    await readOne(folder, 'z'),
    await readOne(folder, 'y'),
    await readOne(folder, 'x'),
  ]
  expect([old, fork, second].map(textsOf)).toEqual([
    ['go', 'a', 'on', 'c'],
    ['another way', 'b'],
    ['a third way'],
  ])
  expect([old, fork, second].map((records) => spent(records).input)).toEqual([2_000, 1_000, 0])
  expect([old, fork, second].map((records) => sessionOf(records).parent_id)).toEqual([null, 'z', 'y'])
})

it('recognises a copy since the last compaction although its usage was cleared', async () => {
  const folder = tempProjects()
  const [keptRow, summary] = [
    named(replied('k', 'kept', [1_000, 10])),
    named(promptRow('so far', 50, { isCompactSummary: true })),
  ]
  const onward = named(replied('n', 'b', [1_000, 10]))
  put(pathOf(folder, 'z'), under('z', [...first(), keptRow, summary, onward]))
  const message = { ...(keptRow.message as Row), usage: { input_tokens: 0, output_tokens: 0 } }
  put(
    pathOf(folder, 'y'),
    under('y', [summary, { ...keptRow, message }, onward, named(promptRow('more', 60))]),
  )
  const fork = await readOne(folder, 'y')
  expect(textsOf(fork)).toEqual(['more'])
  expect(sessionOf(fork)).toMatchObject({ parent_id: 'z', lineage: 'branch' })
  expect(spent(await readOne(folder, 'z')).input).toBe(3_000)
})

it('counts each shared row once when the first session is unknown', async () => {
  const folder = tempProjects()
  const begun = first()
  for (const id of ['p', 'q'])
    put(pathOf(folder, id), under(id, [...begun, named(replied(id, id, [100, 1]))]))
  const inputs = [spent(await readOne(folder, 'p')).input, spent(await readOne(folder, 'q')).input]
  expect(inputs.toSorted((a, b) => a - b)).toEqual([100, 1_100])
})

it("treats similar sessions as independent when their rows lack the client's kind of ids", async () => {
  const folder = tempProjects()
  const alike = [promptRow('go', 0, { uuid: 'u1' }), replied('m', 'a', [10, 1], { uuid: 'u2' })]
  for (const id of ['p', 'q']) put(pathOf(folder, id), under(id, alike))
  for (const id of ['p', 'q']) expect(textsOf(await readOne(folder, id))).toEqual(['go', 'a'])
})

it('keeps all rows of a session whose original disappears during the read', async () => {
  const folder = tempProjects()
  const begun = first()
  put(pathOf(folder, 'old'), under('old', begun))
  put(pathOf(folder, 'new'), under('new', [queued(59), ...begun, named(promptRow('more', 60))]))
  const source = claudeCodeSource(folder)
  const one = await find(source, 'new')
  expect(textsOf(await read(source, one))).toEqual(['more'])
  rmSync(pathOf(folder, 'old'))
  const records = await read(source, one)
  expect(textsOf(records)).toEqual(['go', 'a', 'more'])
  expect(sessionOf(records)).toMatchObject({ parent_id: null, lineage: 'root' })
})

it('searches a summary only in transcripts that existed and changed at that time', async () => {
  const folder = tempProjects()
  const at = (time: string, row: Row): Row => ({ ...named(row), timestamp: time })
  const summarisedAt = '2020-05-05T10:00:00Z'
  const summary = at(summarisedAt, promptRow('so far', 0, { isCompactSummary: true }))
  const holding = (begun: string) => [at(begun, promptRow('go')), summary]
  put(pathOf(folder, 'over'), under('over', holding('2020-05-04T10:00:00Z')))
  utimesSync(pathOf(folder, 'over'), new Date(summarisedAt), new Date('2020-05-05T09:00:00Z'))
  put(pathOf(folder, 'after'), under('after', holding('2020-05-05T10:00:01Z')))
  put(pathOf(folder, 'new'), under('new', [{ ...queued(0), timestamp: '2020-05-06T10:00:00Z' }, summary]))
  expect(textsOf(await readOne(folder, 'new'))).toEqual(['so far'])
  utimesSync(pathOf(folder, 'over'), new Date(summarisedAt), new Date(summarisedAt))
  expect(textsOf(await readOne(folder, 'new'))).toEqual([])
})

it('never takes a branch for the original of the session it names, even with an older file', async () => {
  const folder = tempProjects()
  const begun = first()
  const from = (id: string, sessionId: string) =>
    under(id, begun).map((row) => ({ ...row, forkedFrom: { sessionId } }))
  // Restores the files in the order of their names, as a backup does.
  put(pathOf(folder, 'a'), [...from('a', 'b'), ...under('a', [named(promptRow('third', 90))])])
  put(pathOf(folder, 'b'), [...from('b', 'c'), ...under('b', [named(promptRow('second', 60))])])
  put(pathOf(folder, 'c'), under('c', begun))
  const texts = async () => [
    textsOf(await readOne(folder, 'a')),
    textsOf(await readOne(folder, 'b')),
    textsOf(await readOne(folder, 'c')),
  ]
  expect(await texts()).toEqual([['third'], ['second'], ['go', 'a']])
  rmSync(pathOf(folder, 'c'))
  expect(textsOf(await readOne(folder, 'a'))).toEqual(['third'])
  expect(textsOf(await readOne(folder, 'b'))).toEqual(['go', 'a', 'second'])
})

it('treats forks of one session as copies of it, not of each other', async () => {
  const folder = tempProjects()
  const begun = first()
  put(pathOf(folder, 'a'), under('a', begun))
  put(pathOf(folder, 'b'), under('b', [queued(59), ...begun, named(promptRow('one way', 60))]))
  put(pathOf(folder, 'c'), under('c', [queued(69), ...begun, named(promptRow('another way', 70))]))
  put(pathOf(folder, 'd'), under('d', [queued(79), ...begun, named(promptRow('a third way', 80))]))
  const parents = ['a', 'b', 'c', 'd'].map(async (id) => sessionOf(await readOne(folder, id)).parent_id)
  expect(await Promise.all(parents)).toEqual([null, 'a', 'a', 'a'])
})
