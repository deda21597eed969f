import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { all, messagesOf } from '../conformance/records.ts'
import { startWriter } from '../conformance/writer.ts'
import { fixture, listAll, makeState, type State, tempHome } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

const SESSIONS = 12
/** How much is written during the reads. */
const WRITTEN = 15
const READS = 3 * SESSIONS

const hashOf = (path: string): string | undefined =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : undefined

const filesOf = (path: string) => ({ db: hashOf(path), wal: hashOf(`${path}-wal`) })

function fill({ session, message }: State): void {
  for (let at = 0; at < SESSIONS; at += 1) {
    session({ id: `s${at}` })
    for (let n = 0; n < 10; n += 1) message({ session_id: `s${at}`, content: String(n) })
  }
}

interface Report {
  readonly commits: number
  readonly busy: number
  readonly slowest_ms: number
  readonly write_locks: readonly string[]
}

async function startReporting(path: string): Promise<() => Promise<Report>> {
  const { stop, kill } = await startWriter(process.execPath, [
    fixture('writer.ts'),
    path,
    String(process.pid),
  ])
  onTestFinished(kill)
  return async () => JSON.parse(await stop()) as Report
}

describe.each(['wal', 'delete'] as const)('while Hermes writes (%s)', (journal) => {
  it('reads consistent states, takes no write lock and leaves every byte unchanged', async () => {
    const home = tempHome()
    const state = makeState(home, { journal })
    fill(state)
    state.db.close()
    const stop = await startReporting(state.path)
    const source = hermesSource(home)
    const seen = new Map<string, number>()
    let reads = 0
    const countSeen = () => [...seen.values()].reduce((sum, count) => sum + count, 0)
    while (reads < READS || countSeen() < SESSIONS * 10 + WRITTEN) {
      for (const one of await listAll(source)) {
        const records = await all(source.read(one))
        const numbers = messagesOf(records).map(({ content: [block] }) => Number(block?.text))
        expect(records.at(-1)?.kind).toBe('session')
        expect(numbers).toEqual(numbers.map((_, at) => at))
        expect(numbers.length).toBeGreaterThanOrEqual(seen.get(one.id) ?? 0)
        seen.set(one.id, numbers.length)
        reads += 1
      }
    }
    const report = await stop()
    expect(reads).toBeGreaterThan(SESSIONS)
    expect(report.commits).toBeGreaterThan(10)
    expect(report).toMatchObject({ busy: 0, write_locks: [] })

    const before = filesOf(state.path)
    if (journal === 'wal') expect(before.wal).toBeDefined()
    let messages = 0
    for (const one of await listAll(source)) messages += messagesOf(await all(source.read(one))).length
    expect(messages).toBe(SESSIONS * 10 + report.commits)
    expect(filesOf(state.path)).toEqual(before)
  })
})

it('creates no file next to a closed database', async () => {
  const home = tempHome()
  const state = makeState(home, { journal: 'wal' })
  fill(state)
  state.db.close()
  expect(readdirSync(home)).toEqual(['state.db'])
  const before = filesOf(state.path)
  const source = hermesSource(home)
  for (const one of await listAll(source)) await all(source.read(one))
  expect(readdirSync(home)).toEqual(['state.db'])
  expect(filesOf(state.path)).toEqual(before)
})

it('sees the first commit to a database that was closed before', async () => {
  const home = tempHome()
  const state = makeState(home, { journal: 'wal' })
  fill(state)
  state.db.close()
  const source = hermesSource(home)
  expect(await listAll(source)).toHaveLength(SESSIONS)
  const writer = new DatabaseSync(state.path)
  writer.exec("INSERT INTO sessions (id, source, started_at) VALUES ('new', 'cli', 1790000000)")
  expect(await listAll(source)).toHaveLength(SESSIONS + 1)
  writer.close()
  expect(await listAll(source)).toHaveLength(SESSIONS + 1)
})

it('waits for a writer that locks the whole file', async () => {
  const home = tempHome()
  const state = makeState(home)
  fill(state)
  state.db.exec('BEGIN EXCLUSIVE')
  setTimeout(() => state.db.exec('COMMIT'), 300)
  expect(await listAll(hermesSource(home))).toHaveLength(SESSIONS)
})

it('does not repair an interrupted write', async () => {
  const [home, copy] = [tempHome(), tempHome()]
  const state = makeState(home)
  state.db.exec('PRAGMA cache_size = 5; BEGIN')
  fill(state)
  for (let n = 0; n < 1_000; n += 1) state.message({ session_id: 's0', content: 'x'.repeat(500) })
  for (const name of readdirSync(home)) copyFileSync(join(home, name), join(copy, name))
  expect(readdirSync(copy).sort()).toEqual(['state.db', 'state.db-journal'])
  const before = readdirSync(copy).map((name) => hashOf(join(copy, name)))
  expect(await all(hermesSource(copy).list())).toMatchObject([
    { kind: 'failed', failure: { code: 'locked' } },
  ])
  expect(readdirSync(copy).map((name) => hashOf(join(copy, name)))).toEqual(before)
})

it.each(['wal', 'delete'] as const)(
  'holds no lock while the rows are being processed (%s)',
  async (journal) => {
    const home = tempHome()
    const state = makeState(home, { journal })
    state.session({ id: 'long' })
    state.db.exec('BEGIN')
    for (let n = 0; n < 3_000; n += 1) state.message({ session_id: 'long', content: String(n) })
    state.db.exec('COMMIT')
    const source = hermesSource(home)
    const [one] = await listAll(source)
    if (one === undefined) throw new Error('it is not listed')
    let messages = 0
    for await (const record of source.read(one)) {
      if (record.kind !== 'message') continue
      messages += 1
      if (messages % 300 !== 0) continue
      state.db.exec(`BEGIN EXCLUSIVE; UPDATE sessions SET title = '${messages}'; COMMIT`)
      if (journal === 'wal')
        expect(state.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
    }
    expect(messages).toBe(3_000)
  },
)
