import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { expectWhole, find, listed, messagesOf, read, sessionOf } from '../conformance/records.ts'
import { openCodeSource } from './index.ts'
import { makeStore, tempHome } from './opencode.test-kit.ts'

const BEGUN = 1_750_000_000_000

function filesIn(home: string) {
  const put = (path: readonly string[], value: unknown) => {
    const file = join(home, 'storage', ...path.slice(0, -1), `${path.at(-1)}.json`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const time = { created: BEGUN, updated: BEGUN + 5_000 }
  put(['project', 'p'], { id: 'p', worktree: '/home/dev/atlas' })
  put(['session', 'p', 'ses_a'], {
    id: 'ses_a',
    projectID: 'p',
    directory: '/home/dev/atlas/src',
    title: 'Old',
    time,
  })
  put(['session', 'p', 'ses_b'], {
    id: 'ses_b',
    projectID: 'p',
    parentID: 'ses_a',
    title: 'dig (@explore subagent)',
    time,
  })
  put(['message', 'ses_a', 'msg_1'], { role: 'user', time: { created: BEGUN + 1 } })
  put(['part', 'msg_1', 'prt_1'], { type: 'text', text: 'hello' })
  put(['message', 'ses_a', 'msg_2'], {
    role: 'assistant',
    modelID: 'm',
    cost: 0.5,
    tokens: { input: 5, output: 3, reasoning: 1, cache: { read: 2, write: 0 } },
    time: { created: BEGUN + 2 },
  })
  put(['part', 'msg_2', 'prt_2'], { type: 'text', text: 'yes' })
  put(['part', 'msg_2', 'prt_3'], 'half a fi')
  put(['message', 'ses_b', 'msg_3'], { role: 'user', time: { created: BEGUN + 3 } })
  put(['part', 'msg_3', 'prt_4'], { type: 'text', text: 'dig' })
  return put
}

it('reads the files of versions before the database', async () => {
  const home = tempHome()
  filesIn(home)
  const source = openCodeSource(home)
  const [one] = await listed(source)
  if (one === undefined) throw new Error('nothing is listed')
  const records = await read(source, one)
  expectWhole(records, one)
  expect(messagesOf(records)).toMatchObject([
    { content: [{ text: 'hello' }], ts: BEGUN + 1 },
    {
      content: [{ text: 'yes' }],
      model: 'm',
      cost_micro_usd: 500_000,
      usage: { input: 5, output: 3, cache_read: 2 },
    },
    { content: [{ text: 'dig' }], agent_id: 'ses_b' },
  ])
  expect(records.filter(({ kind }) => kind === 'skipped')).toHaveLength(1)
  expect(sessionOf(records)).toMatchObject({ title: 'Old', project: 'atlas', cwd: '/home/dev/atlas/src' })
})

it('detects added and removed messages, and a new reader finds a session by its place', async () => {
  const home = tempHome()
  const put = filesIn(home)
  const source = openCodeSource(home)
  const before = await find(source, 'ses_a')
  expect(messagesOf(await read(openCodeSource(home), before))).toHaveLength(3)
  put(['message', 'ses_a', 'msg_4'], { role: 'user', time: { created: BEGUN + 9 } })
  expect((await find(source, 'ses_a')).fingerprint).not.toBe(before.fingerprint)
  const added = await find(source, 'ses_a')
  put(['message', 'ses_a', 'msg_4'], { role: 'user', time: { created: BEGUN + 9 }, summary: 'complete now' })
  expect((await find(source, 'ses_a')).fingerprint).not.toBe(added.fingerprint)
  rmSync(join(home, 'storage', 'session', 'p', 'ses_a.json'))
  expect((await listed(source)).map(({ id }) => id)).toEqual(['ses_b'])
  expect((await read(source, before)).at(-1)).toMatchObject({
    kind: 'failed',
    failure: { code: 'not_found' },
  })
})

it('ignores the files once there is a database', async () => {
  const home = tempHome()
  filesIn(home)
  makeStore(home).session({ id: 'new' })
  expect((await listed(openCodeSource(home))).map(({ id }) => id)).toEqual(['new'])
})

it('reads a session whose project is a pipe', async () => {
  const home = tempHome()
  filesIn(home)
  const project = join(home, 'storage', 'project', 'p.json')
  rmSync(project)
  expect(spawnSync('mkfifo', [project]).status).toBe(0)
  const source = openCodeSource(home)
  const records = await read(source, await find(source, 'ses_a'))
  expect(sessionOf(records)).toMatchObject({ title: 'Old' })
})
