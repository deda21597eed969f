import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import {
  type IndexChange,
  type IndexedMessage,
  openSessionIndex,
  type SessionIndex,
} from '@panoptes/engine/store'
import type { Session } from '@panoptes/schema'
import { Client } from 'pg'
import { startPostgres } from '../e2e/setup/postgres-server.ts'
import { options, orThrow, publish, readLoad } from './report.ts'
import { makeHistory, questions } from './sessions-data.ts'
import { quantile, round } from './statistics.ts'

/**
 * Compares the session index in a file and in PostgreSQL: the same sessions, the same queries, the same
 * answers.
 */
const { quick } = options()
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-index-'))
const named = process.env.PANOPTES_TEST_POSTGRES
const server = named ? { url: named, stop: async () => undefined } : await startPostgres()
const space = `bench_${randomUUID().slice(0, 8)}`
const ENGINES = ['SQLite', 'PostgreSQL'] as const
const LIMIT = 50

const timed = async <T>(work: () => Promise<T>): Promise<readonly [ms: number, T]> => {
  const start = performance.now()
  const done = await work()
  return [performance.now() - start, done]
}

function* changesOf(file: string): Iterable<readonly IndexChange[]> {
  const db = new DatabaseSync(file, { readOnly: true })
  const messages = db.prepare(
    'SELECT id, role, content, tool_name, timestamp FROM messages WHERE session_id = ? ORDER BY id',
  )
  for (const { id, model, title, started_at } of db
    .prepare('SELECT * FROM sessions ORDER BY started_at')
    .all()) {
    const own = messages.all(String(id)).map(messageOf)
    const last_at = own.at(-1)?.ts ?? Math.round(Number(started_at) * 1_000)
    const session: Session = {
      ...{
        source: 'hermes',
        id: String(id),
        parent_id: null,
        lineage: 'root',
        title: title === null ? null : String(title),
      },
      ...{ project: 'atlas', cwd: null, git_branch: null, model: model === null ? null : String(model) },
      ...{
        started_at: Math.round(Number(started_at) * 1_000),
        last_at,
        ended_at: null,
        fingerprint: String(id),
      },
    }
    const ref = { source: 'hermes', id: session.id }
    yield [
      { type: 'begin', ...ref, place: file },
      { type: 'messages', ...ref, messages: own },
      { type: 'end', session },
    ]
  }
  db.close()
}

const ROLES = new Map<unknown, IndexedMessage['role']>([
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['system', 'system'],
])

const messageOf = (row: Readonly<Record<string, unknown>>): IndexedMessage => ({
  ...{ id: String(row.id), agent_id: 'main', role: ROLES.get(row.role) ?? 'user' },
  ...{ ts: Math.round(Number(row.timestamp) * 1_000), model: null, text: String(row.content ?? '') },
  ...{ tools: row.tool_name === null ? [] : [String(row.tool_name)], errors: 0, failed: [] },
  ...{ usage: null, cost_micro_usd: null },
})

async function filled(index: SessionIndex, file: string): Promise<number> {
  const [ms] = await timed(async () => {
    const batch = index.batch()
    for (const changes of changesOf(file)) orThrow(await batch.add(changes))
    orThrow(await batch.end())
  })
  return ms / 1_000
}

const sizeOf = async (): Promise<number> => {
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const sql = `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'space_${space}'::regnamespace`
  const { rows } = await client.query<{ bytes: string }>(sql)
  await client.end()
  return Number(rows[0]?.bytes) / 1_048_576
}

try {
  const history = makeHistory(folder, quick, quick ? 1 : 0.4)
  const file = join(folder, 'index.db')
  const places = [undefined, { kind: 'postgres' as const, url: server.url, space }]
  const indexes = await Promise.all(places.map(async (place) => orThrow(await openSessionIndex(place, file))))
  const load = readLoad()
  const seconds: number[] = []
  for (const index of indexes) seconds.push(await filled(index, history.file))
  const sizes = [(statSync(file).size + statSync(`${file}-wal`).size) / 1_048_576, await sizeOf()]

  const asked = questions(history.file, quick ? 6 : 25)
  const ms = new Map<string, [number[], number[]]>()
  let different = 0
  for (let round = 0; round < 3; round += 1)
    for (const { kind, query } of asked) {
      const { q: text = '', tool, model, project } = query
      const answers = []
      for (const [n, index] of indexes.entries()) {
        const [took, hits] = await timed(() => index.search({ text, tool, model, project, limit: LIMIT }))
        answers.push(orThrow(hits))
        const times = ms.get(kind) ?? [[], []]
        ms.set(kind, times)
        if (round > 0) times[n as 0 | 1].push(took)
      }
      if (!isDeepStrictEqual(answers[0], answers[1])) different += 1
    }
  const recalls: [number[], number[]] = [[], []]
  for (const { query } of asked)
    for (const [n, index] of indexes.entries()) {
      const until = performance.now() + 10_000
      const [took, found] = await timed(() =>
        index.recall({ text: `what was it about ${query.q}, and the error in the build?`, most: 36, until }),
      )
      orThrow(found)
      recalls[n as 0 | 1].push(took)
    }
  ms.set('recall', recalls)
  for (const index of indexes) await index.close()
  const all = ENGINES.map((_, n) =>
    [...ms].filter(([kind]) => kind !== 'recall').flatMap(([, times]) => times[n as 0 | 1]),
  )
  publish({
    name: 'index-engines',
    tables: [
      {
        title: `Index of ${history.sessions} sessions with ${history.messages} messages, one thread, at a load of ${load}`,
        rows: ENGINES.map((engine, n) => ({
          engine,
          seconds: round(seconds[n] ?? 0),
          MB: round(sizes[n] ?? 0),
        })),
      },
      {
        title: `${asked.length} searches, each twice after once; milliseconds, median and 95 of 100, at a load of ${round(loadavg()[0] ?? Number.NaN)}`,
        rows: [...ms].map(([kind, [sqlite, postgres]]) => ({
          kind,
          'SQLite p50': round(quantile(sqlite, 0.5)),
          'SQLite p95': round(quantile(sqlite, 0.95)),
          'PostgreSQL p50': round(quantile(postgres, 0.5)),
          'PostgreSQL p95': round(quantile(postgres, 0.95)),
        })),
      },
    ],
    promises: [
      {
        says: 'both engines answer alike',
        holds: different === 0,
        measured: `${different} different answers`,
      },
      {
        says: 'a search takes less than 50 ms at the median',
        holds: quantile(all[1] ?? [], 0.5) < 50,
        measured: `${round(quantile(all[1] ?? [], 0.5))} ms, SQLite ${round(quantile(all[0] ?? [], 0.5))} ms`,
      },
    ],
  })
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
