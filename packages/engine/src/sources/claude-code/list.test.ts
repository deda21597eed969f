import { mkdirSync, renameSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { agentsOf, all, listed, textsOf } from '../conformance/records.ts'
import { contentMark, readEntries } from '../folders.ts'
import {
  call,
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

/**
 * Creates a source for which one folder is unreadable, because the user who runs the tests may be able to
 * read everything.
 */
async function sourceWithout(closed: string): Promise<typeof claudeCodeSource> {
  vi.doMock('../folders.ts', () => ({
    contentMark,
    readEntries: (path: string) => {
      if (path === closed) throw Object.assign(new Error('no'), { code: 'EACCES' })
      return readEntries(path)
    },
  }))
  vi.resetModules()
  onTestFinished(() => {
    vi.doUnmock('../folders.ts')
    vi.resetModules()
  })
  return (await import('./index.ts')).claudeCodeSource
}

it('lists the other projects when one is unreadable and names it', async () => {
  const folder = tempProjects()
  for (const project of ['a', 'b', 'c']) put(pathOf(folder, `in-${project}`, project), [promptRow('go')])
  const source = await sourceWithout(join(folder, 'b'))
  expect(await all(source(folder).list())).toMatchObject([
    { kind: 'failed', failure: { code: 'read_only', message: expect.stringContaining(join(folder, 'b')) } },
    { kind: 'listed', id: 'in-a' },
    { kind: 'listed', id: 'in-c' },
  ])
})

it('lists the other sessions when the agents of one are unreadable and names it', async () => {
  const folder = tempProjects()
  for (const id of ['x', 'y', 'z']) put(pathOf(folder, id), [promptRow('go')])
  const agents = join(dirname(pathOf(folder, 'y')), 'y')
  mkdirSync(agents)
  symlinkSync('subagents', join(agents, 'subagents'))
  expect(await all(claudeCodeSource(folder).list())).toMatchObject([
    { kind: 'listed', id: 'x' },
    { kind: 'failed', failure: { message: expect.stringContaining(pathOf(folder, 'y')) } },
    { kind: 'listed', id: 'z' },
  ])
})

it('lists the newest of two transcripts with the same id, once', async () => {
  const folder = tempProjects()
  const [older, newer] = [pathOf(folder, 's', 'b'), pathOf(folder, 's', 'a')]
  put(older, [promptRow('older')])
  put(newer, [promptRow('newer')])
  utimesSync(older, 1_000, 1_000)
  const source = claudeCodeSource(folder)
  const found = await listed(source)
  expect(found.map(({ id, place }) => [id, place])).toEqual([['s', newer]])
  expect(textsOf(await readOne(folder, 's'))).toEqual(['newer'])
  expect(await listed(source)).toEqual(found)
  utimesSync(older, 4_000_000_000, 4_000_000_000)
  expect((await listed(source)).map(({ place }) => place)).toEqual([older])
})

it('detects that a project moved although its files are the same', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's', 'before'), [promptRow('go')])
  const [before] = await listed(claudeCodeSource(folder))
  renameSync(join(folder, 'before'), join(folder, 'after'))
  const [after] = await listed(claudeCodeSource(folder))
  expect(after?.place).toBe(pathOf(folder, 's', 'after'))
  expect(after?.fingerprint).not.toBe(before?.fingerprint)
})

it('finds agent files that older clients put next to the sessions', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    replied('m', [call('t')], [1, 1], { sessionId: 's' }),
    result('t', { agentId: 'x' }),
  ])
  put(pathOf(folder, 'other'), [promptRow('go')])
  const source = claudeCodeSource(folder)
  const fingerprints = async () =>
    new Map((await listed(source)).map(({ id, fingerprint }) => [id, fingerprint]))
  const before = await fingerprints()
  put(pathOf(folder, 'agent-x'), [
    replied('x', 'found it', [100, 1], { sessionId: 's', agentId: 'x', isSidechain: true }),
  ])
  const after = await fingerprints()
  expect([...after.keys()]).toEqual([...before.keys()])
  expect([...after].filter(([id, fingerprint]) => before.get(id) !== fingerprint).map(([id]) => id)).toEqual([
    's',
  ])
  const records = await readOne(folder, 's')
  expect(agentsOf(records).get('x')).toMatchObject({ parent_id: 'main', tool_use_id: 't' })
  expect(spent(records)).toEqual({ input: 101, output: 2, unknown: 0 })
  expect([...agentsOf(await readOne(folder, 'other')).keys()]).toEqual(['main'])
})
