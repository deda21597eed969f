import { randomUUID } from 'node:crypto'
import { appendFileSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { find, listed } from '../conformance/records.ts'
import { linesOf, pathOf, promptRow, put, type Row, tempProjects } from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

const named = (text: string, at: number, more: Row = {}): Row =>
  promptRow(text, at, { uuid: randomUUID(), sessionId: 'old', ...more })
const begun = [named('go', 0), named('on', 5)]
const summary = named('so far', 9, { isCompactSummary: true })
const as = (id: string) => (row: Row) => ({ ...row, sessionId: id })
/** The client queues the prompt before it writes the copy. */
const queued = { ...promptRow('', 59, { sessionId: 'fork' }), type: 'queue-operation' }

const copies: Readonly<Record<string, readonly Row[]>> = {
  'by their uuids': begun.map(as('fork')),
  'by their mark': begun.map((row) => ({ ...as('fork')(row), forkedFrom: { sessionId: 'old' } })),
  'by the id in them': begun,
  'since a compaction': [as('fork')(summary)],
}

it.each(Object.entries(copies))(
  'changes the fingerprint of a copy (%s) when its original is deleted, restored or forgotten',
  async (_kind, copied) => {
    const folder = tempProjects()
    const forgotten = new Set<string>()
    const source = claudeCodeSource(folder, (id) => forgotten.has(id))
    const old = () => put(pathOf(folder, 'old'), [...begun, summary])
    old()
    put(pathOf(folder, 'plain'), [named('hello', 20, { sessionId: 'plain' })])
    put(pathOf(folder, 'fork'), [queued, ...copied, named('more', 60, { sessionId: 'fork' })])
    const print = async (id: string) => (await find(source, id)).fingerprint
    const [plain, there] = [await print('plain'), await print('fork')]
    expect(await print('fork')).toBe(there)
    rmSync(pathOf(folder, 'old'))
    const gone = await print('fork')
    expect(gone).not.toBe(there)
    old()
    expect(await print('fork')).toBe(there)
    forgotten.add('old')
    expect(await print('fork')).not.toBe(there)
    expect(await print('plain')).toBe(plain)
    expect((await listed(source)).map(({ fingerprint }) => fingerprint).join()).not.toContain('old')
  },
)

it('keeps the fingerprint of a copy when its original grows', async () => {
  const folder = tempProjects()
  const source = claudeCodeSource(folder)
  put(pathOf(folder, 'old'), begun)
  put(pathOf(folder, 'fork'), [queued, ...begun.map(as('fork'))])
  const before = await find(source, 'fork')
  appendFileSync(pathOf(folder, 'old'), linesOf([named('later', 90)]))
  expect(await find(source, 'fork')).toEqual(before)
})
