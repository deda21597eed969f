import type { Agent, Counters, SessionSummary, ToolStats } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import type { AgentQuery, AgentRef, At, Head, Marks, SessionQuery, StoreInfo } from '../port.ts'
import {
  type AgentsRow,
  ALIVE,
  COUNTERS_KEY,
  ENDED,
  rowKey,
  type ToolRow,
  toAgent,
  toToolStats,
  zeroCounters,
} from '../projections/index.ts'
import type { Connection, Database, Row } from './database.ts'
import { toStoredKey } from './names.ts'

const PAGE = 500

type Place = { readonly source: string; readonly session: string }

/** Reads projections along with the seq they are true for. */
async function at<T>(database: Database, query: (connection: Connection) => Promise<T>): Promise<At<T>> {
  return database.snapshot(async (connection) => {
    const head = await connection.row('SELECT last FROM head')
    return { seq: Number(head?.last), value: await query(connection) }
  })
}

export const readCounters = (database: Database): Promise<At<Counters>> =>
  at(database, async (connection) => {
    const row = await connection.row(`SELECT doc FROM projection_rows WHERE name = 'counters' AND key = $1`, [
      COUNTERS_KEY,
    ])
    return row === undefined ? zeroCounters() : (JSON.parse(String(row.doc)) as Counters)
  })

export const readTools = (database: Database): Promise<At<readonly ToolStats[]>> =>
  at(database, async (connection) => {
    const rows = await connection.rows(`SELECT doc FROM projection_rows WHERE name = 'tools' ORDER BY key`)
    return rows.map(({ doc }) => toToolStats(JSON.parse(String(doc)) as ToolRow))
  })

export const readSessions = (
  database: Database,
  { of, session, limit }: SessionQuery,
): Promise<At<readonly SessionSummary[]>> =>
  at(database, async (connection) => {
    const rows = await (of !== undefined
      ? connection.rows(
          `SELECT doc FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, n)
           JOIN projection_rows AS r ON r.name = 'sessions' AND r.key = wanted.key ORDER BY n`,
          [of.slice(0, limit).map((one) => toStoredKey(rowKey(one.source, one.session)))],
        )
      : session !== undefined
        ? connection.rows(
            `SELECT doc FROM projection_rows WHERE name = 'sessions' AND ref = $1 ORDER BY ord DESC, key LIMIT $2`,
            [session, limit],
          )
        : connection.rows(
            `SELECT doc FROM projection_rows WHERE name = 'sessions' AND tag = 'all' ORDER BY ord DESC, key LIMIT $1`,
            [limit],
          ))
    return rows.map(({ doc }) => JSON.parse(String(doc)) as SessionSummary)
  })

export const readAgents = (database: Database, query: AgentQuery): Promise<At<readonly Agent[]>> =>
  at(database, async (connection) => {
    const found: Agent[] = []
    for await (const rows of agentDocs(connection, query))
      for (const { doc } of rows) {
        const agent = toAgent(JSON.parse(String(doc)) as AgentsRow)
        if (agent === undefined) continue
        if (query.source !== undefined && agent.source !== query.source) continue
        if (query.states !== undefined && !query.states.includes(agent.state)) continue
        found.push(agent)
        if (found.length >= query.limit) return found
      }
    return found
  })

/**
 * Yields agent rows that may match, using the narrowest index: in order of start for one session, otherwise
 * newest first.
 */
async function* agentDocs(connection: Connection, query: AgentQuery): AsyncIterable<readonly Row[]> {
  if (query.of !== undefined) {
    for (const ref of query.of) yield await readReferred(connection, ref)
    return
  }
  if (query.session !== undefined) {
    yield await connection.rows(
      `SELECT a.doc FROM projection_rows AS s
       JOIN projection_rows AS a ON a.name = 'agents' AND a.grp = s.key AND a.key <> a.grp
       WHERE s.name = 'sessions' AND s.ref = $1 ORDER BY a.grp, a.ord, a.key`,
      [query.session],
    )
    return
  }
  for (const tag of stateTags(query)) yield* readTagged(connection, tag)
}

async function* readTagged(connection: Connection, tag: string): AsyncIterable<readonly Row[]> {
  let from: readonly [number, string] = [Number.MAX_SAFE_INTEGER, '']
  for (;;) {
    const rows = await connection.rows(
      `SELECT ord, key, doc FROM projection_rows WHERE name = 'agents' AND tag = $1 AND (ord, key) < ($2, $3)
       ORDER BY ord DESC, key DESC LIMIT $4`,
      [tag, ...from, PAGE],
    )
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    from = [Number(last.ord), String(last.key)]
  }
}

function stateTags(query: AgentQuery): readonly string[] {
  if (query.states === undefined) return [ALIVE, ENDED]
  return [...new Set(query.states.map((state) => (isAlive(state) ? ALIVE : ENDED)))]
}

function readReferred(connection: Connection, { source, session, id }: AgentRef): Promise<readonly Row[]> {
  const group = rowKey(source, session)
  return id === undefined
    ? connection.rows(
        `SELECT doc FROM projection_rows WHERE name = 'agents' AND grp = $1 ORDER BY ord, key`,
        [toStoredKey(group)],
      )
    : connection.rows(`SELECT doc FROM projection_rows WHERE name = 'agents' AND key = $1`, [
        toStoredKey(rowKey(group, id)),
      ])
}

export async function countAlive(database: Database): Promise<number> {
  const row = await database.row(
    `SELECT count(*) AS alive FROM projection_rows WHERE name = 'agents' AND tag = '${ALIVE}'`,
  )
  return Number(row?.alive)
}

export async function findAgents(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Place>> {
  const rows = await database.rows(
    `SELECT DISTINCT ON (ref) ref, doc FROM projection_rows WHERE name IN ('agents', 'sessions') AND ref = ANY($1)
     ORDER BY ref, name, ord DESC`,
    [ids],
  )
  const found = new Map(rows.map(({ ref, doc }) => [String(ref), String(doc)]))
  return new Map(
    ids.flatMap((id): [string, Place][] => {
      const doc = found.get(id)
      if (doc === undefined) return []
      const { source, session_id } = JSON.parse(doc) as { source: string; session_id: string }
      return [[id, { source, session: session_id }]]
    }),
  )
}

export async function readHead(database: Database): Promise<Head> {
  const row = await database.row('SELECT base, last FROM head')
  return { first: Number(row?.base) + 1, last: Number(row?.last) }
}

export async function readMarks(database: Database, names: readonly string[]): Promise<Marks> {
  const rows = await database.rows('SELECT name, value FROM marks WHERE name = ANY($1)', [names])
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]))
}

/**
 * The disk space of the log and its projections. Sessions, their index and conversations share the schema,
 * but dropping events does not shrink them.
 */
export const BYTES = `(SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
    AND c.relname ~ '^(events_p[0-9]+|event_keys|projection_(rows|base)|checkpoints|parked|late)$')`

export async function readInfo(database: Database, where: string): Promise<StoreInfo> {
  const row = await database.row(
    `SELECT last, base,
       (SELECT max(version) FROM schema_versions) AS version,
       (SELECT count(*) FROM events WHERE ts < 0 AND seq > base) AS forgotten,
       (SELECT ts FROM log ORDER BY ts LIMIT 1) AS first_ts,
       (SELECT ts FROM log ORDER BY ts DESC LIMIT 1) AS last_ts,
       ${BYTES} AS bytes
     FROM head`,
  )
  const [base, last, forgotten] = [Number(row?.base), Number(row?.last), Number(row?.forgotten)]
  const stamp = (found: unknown) => (found === null || found === undefined ? null : Number(found))
  return {
    engine: 'postgres',
    path: where,
    bytes: Number(row?.bytes ?? 0),
    schemaVersion: Number(row?.version),
    head: { first: base + 1, last },
    events: last - base - forgotten,
    forgotten,
    firstTs: stamp(row?.first_ts),
    lastTs: stamp(row?.last_ts),
  }
}
