import { describe, expect, it } from 'vitest'
import { agentsOf, find, messagesOf, read, sessionOf, textsOf } from '../conformance/records.ts'
import {
  agentPathOf,
  pathOf,
  promptRow,
  put,
  readOne,
  replied,
  spent,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

const copyOf = (row: Readonly<Record<string, unknown>>, from: string) => ({
  ...row,
  sessionId: 'fork',
  forkedFrom: { sessionId: from, messageUuid: row.uuid },
})

it('counts in a branch only its own messages and names its origin', async () => {
  const folder = tempProjects()
  const first = [
    promptRow('go', 0, { sessionId: 'old', cwd: '/home/dev/atlas' }),
    replied('m', 'a', [1_000, 10], { sessionId: 'old' }),
    replied('n', 'b', [1_000, 10], { sessionId: 'old' }),
  ]
  put(pathOf(folder, 'old'), first)
  put(pathOf(folder, 'fork'), [
    ...first.map((row) => copyOf(row, 'old')),
    promptRow('another way', 60, { sessionId: 'fork' }),
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

it('puts a branch without own messages into the project of its origin', async () => {
  const folder = tempProjects()
  const row = promptRow('go', 5, { cwd: '/home/dev/atlas' })
  put(pathOf(folder, 'old'), [row])
  put(pathOf(folder, 'fork'), [copyOf(row, 'old')])
  const records = await readOne(folder, 'fork')
  expect(messagesOf(records)).toEqual([])
  expect(sessionOf(records)).toMatchObject({
    parent_id: 'old',
    cwd: '/home/dev/atlas',
    last_at: Date.UTC(2026, 8, 1, 10, 0, 5),
  })
})

it('leaves out rows of another session and repeated rows of its own', async () => {
  const folder = tempProjects()
  const own = [promptRow('mine', 5, { sessionId: 's' }), replied('n', 'b', [10, 1], { sessionId: 's' })]
  const theirs = [
    promptRow('theirs', 0, { sessionId: 'other' }),
    replied('m', 'a', [1_000, 1], { sessionId: 'other' }),
  ]
  // The original may be in another project.
  put(pathOf(folder, 'other', '-home-dev-beacon'), theirs)
  put(pathOf(folder, 's'), [...theirs, ...own, ...own, promptRow('more', 9, { sessionId: 's' })])
  const records = await readOne(folder, 's')
  expect(textsOf(records)).toEqual(['mine', 'b', 'more'])
  expect(spent(records)).toEqual({ input: 10, output: 1, unknown: 0 })
  expect(sessionOf(records)).toMatchObject({ parent_id: 'other', lineage: 'branch' })
})

describe('rows copied from a session that no longer exists', () => {
  const theirs = [
    promptRow('theirs', 0, { sessionId: 'old' }),
    replied('m', 'a', [10, 1], { sessionId: 'old' }),
  ]
  const kinds = {
    'that are marked': theirs.map((row) => copyOf(row, 'old')),
    'that have its id': theirs,
    'that are marked and have its id': theirs.map((row) => ({ ...copyOf(row, 'old'), sessionId: 'old' })),
  }

  it.each(Object.entries(kinds))('are shown where they were copied to: rows %s', async (_kind, copied) => {
    const folder = tempProjects()
    put(pathOf(folder, 'fork'), [...copied, promptRow('mine', 60, { sessionId: 'fork' })])
    const alone = await readOne(folder, 'fork')
    expect(textsOf(alone)).toEqual(['theirs', 'a', 'mine'])
    expect(sessionOf(alone)).toMatchObject({ parent_id: null, lineage: 'root', title: 'theirs' })
    put(pathOf(folder, 'old'), theirs)
    expect(textsOf(await readOne(folder, 'fork'))).toEqual(['mine'])
  })

  it.each(Object.entries(kinds))(
    'are hidden together with the id when it was forgotten: rows %s',
    async (_kind, copied) => {
      const folder = tempProjects()
      put(pathOf(folder, 'fork'), [...copied, promptRow('mine', 60, { sessionId: 'fork' })])
      const source = claudeCodeSource(folder, (id) => id === 'old')
      const records = await read(source, await find(source, 'fork'))
      expect(textsOf(records)).toEqual(['mine'])
      expect(sessionOf(records)).toMatchObject({ parent_id: null, title: 'mine' })
    },
  )
})

it('reads a transcript whose file was renamed', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 'kept'), [
    promptRow('a', 0, { sessionId: 's' }),
    replied('m', 'b', [1, 1], { sessionId: 's' }),
  ])
  put(agentPathOf(folder, 'kept', 'x'), [replied('x', 'c', [1, 1], { sessionId: 't' })])
  const records = await readOne(folder, 'kept')
  expect(textsOf(records)).toEqual(['a', 'b', 'c'])
  expect(sessionOf(records)).toMatchObject({ id: 'kept', lineage: 'root' })
})
