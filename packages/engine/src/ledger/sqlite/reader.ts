import { statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Agent, Counters, SessionSummary } from '@panoptes/schema'
import type { AgentQuery, At, EventFilter, EventPage, EventRange, EventRow, LedgerInfo } from '../port.ts'
import { ALIVE, COUNTERS_KEY, ENDED, rowKey, zeroCounters } from '../projections/index.ts'
import { numberOf, versionOf } from './migrations.ts'
import { whereOf } from './query.ts'
import { baseSeq, lastSeq } from './writer.ts'

/** How many rows one window of an unindexed search looks at, and how long one page may look. */
const WINDOW = 10_000
const PATIENCE_MS = 60
/** How many statements are kept prepared. */
const MOST_STATEMENTS = 64

/** Typed queries over one read-only connection. */
export class Reader {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
  }

  read(range: EventRange, filter: EventFilter = {}): EventPage {
    const where = whereOf(filter)
    const up = 'after' in range
    const last = lastSeq(this.#db)
    const bounds = this.#bounds(filter)
    const from = up
      ? Math.max(range.after, bounds.low - 1)
      : Math.min(range.before, last + 1, bounds.high + 1)
    const end = up ? Math.min(last, bounds.high) : Math.max(baseSeq(this.#db), bounds.low - 1)
    const window = where.index === null && where.sql !== '' ? WINDOW : Number.MAX_SAFE_INTEGER
    const statement = this.#prepare(
      `SELECT seq, body FROM events ${where.index === null ? 'NOT INDEXED' : `INDEXED BY ${where.index}`}
       WHERE ${up ? 'seq > ? AND seq <= ?' : 'seq < ? AND seq >= ?'}${where.sql}
       ORDER BY seq ${up ? 'ASC' : 'DESC'} LIMIT ?`,
    )
    const rows: EventRow[] = []
    const patience = performance.now() + PATIENCE_MS
    let at = from
    while (up ? at < end : at - 1 > end) {
      const edge = up ? Math.min(end, at + window) : Math.max(end + 1, at - window)
      for (const row of statement.all(at, edge, ...where.parameters, range.limit - rows.length)) {
        rows.push(rowOf(Number(row.seq), String(row.body)))
      }
      if (rows.length >= range.limit) return { rows, next: rows.at(-1)?.seq ?? null }
      at = edge
      if (performance.now() > patience) break
    }
    const more = up ? at < end : at - 1 > end
    return { rows, next: more ? at : null }
  }

  counters(): At<Counters> {
    return this.#snapshot(() => {
      const row = this.#prepare("SELECT doc FROM projection_rows WHERE name = 'counters' AND key = ?").get(
        COUNTERS_KEY,
      )
      return row === undefined ? zeroCounters() : JSON.parse(String(row.doc))
    })
  }

  agents(query: AgentQuery): At<readonly Agent[]> {
    return this.#snapshot(() => {
      const found: Agent[] = []
      const wanted = new Set(query.states)
      for (const doc of this.#agentDocs(query, wanted)) {
        const agent = JSON.parse(doc) as Agent
        if (query.source !== undefined && agent.source !== query.source) continue
        if (query.session !== undefined && agent.session_id !== query.session) continue
        if (query.states !== undefined && !wanted.has(agent.state)) continue
        found.push(agent)
        if (found.length >= query.limit) break
      }
      return found
    })
  }

  sessions(limit: number): At<readonly SessionSummary[]> {
    return this.#snapshot(() =>
      this.#prepare(
        "SELECT doc FROM projection_rows WHERE name = 'sessions' AND tag = 'all' ORDER BY ord DESC LIMIT ?",
      )
        .all(limit)
        .map((row) => JSON.parse(String(row.doc))),
    )
  }

  findAgents(ids: readonly string[]): [string, { source: string; session: string }][] {
    const agents = this.#prepare(
      "SELECT doc FROM projection_rows WHERE name = 'agents' AND ref = ? ORDER BY ord DESC LIMIT 1",
    )
    const sessions = this.#prepare(
      "SELECT doc FROM projection_rows WHERE name = 'sessions' AND ref = ? ORDER BY ord DESC LIMIT 1",
    )
    return ids.flatMap((id): [string, { source: string; session: string }][] => {
      const row = agents.get(id) ?? sessions.get(id)
      if (row === undefined) return []
      const { source, session_id } = JSON.parse(String(row.doc)) as { source: string; session_id: string }
      return [[id, { source, session: session_id }]]
    })
  }

  info(): LedgerInfo {
    const db = this.#db
    const last = lastSeq(db)
    const first = baseSeq(db) + 1
    const ts = (order: string): number | null => {
      const row = db.prepare(`SELECT ts FROM events ORDER BY ts ${order} LIMIT 1`).get()
      return row === undefined ? null : Number(row.ts)
    }
    return {
      engine: 'sqlite',
      path: this.#file,
      bytes: sizeOf(this.#file) + sizeOf(`${this.#file}-wal`),
      schemaVersion: versionOf(db),
      head: { first, last },
      firstTs: ts('ASC'),
      lastTs: ts('DESC'),
    }
  }

  verify(): readonly string[] {
    const rows = this.#db.prepare('PRAGMA quick_check(20)').all()
    const found = rows.map((row) => String(Object.values(row)[0]))
    const expected = lastSeq(this.#db) - baseSeq(this.#db)
    const kept = numberOf(this.#db, 'SELECT count(*) FROM events')
    const gaps = expected === kept ? [] : [`the log has ${kept} events where its numbers say ${expected}`]
    return [...found.filter((line) => line !== 'ok'), ...gaps]
  }

  /** Seqs between which the asked time lies; the clock of events is near their order, but not the same. */
  #bounds(filter: EventFilter): { readonly low: number; readonly high: number } {
    if (filter.since === undefined && filter.until === undefined)
      return { low: 0, high: Number.MAX_SAFE_INTEGER }
    const row = this.#prepare(
      'SELECT min(seq) AS low, max(seq) AS high FROM events WHERE ts >= ? AND ts < ?',
    ).get(filter.since ?? 0, filter.until ?? Number.MAX_SAFE_INTEGER)
    return row?.low == null ? { low: 1, high: 0 } : { low: Number(row.low), high: Number(row.high) }
  }

  *#agentDocs(query: AgentQuery, wanted: ReadonlySet<string>): Iterable<string> {
    if (query.source !== undefined && query.session !== undefined) {
      const rows = this.#prepare(
        "SELECT doc FROM projection_rows WHERE name = 'agents' AND grp = ? ORDER BY ord, key",
      )
      for (const row of rows.iterate(rowKey(query.source, query.session))) yield String(row.doc)
      return
    }
    if (query.session !== undefined) {
      const rows = this.#prepare(
        `SELECT doc FROM projection_rows WHERE name = 'agents' AND grp IN
           (SELECT json_extract(doc, '$.source') || char(31) || ref FROM projection_rows WHERE name = 'sessions' AND ref = ?)
         ORDER BY ord, key`,
      )
      for (const row of rows.iterate(query.session)) yield String(row.doc)
      return
    }
    const alive =
      query.states === undefined || ['working', 'waiting', 'stuck'].some((state) => wanted.has(state))
    const ended = query.states === undefined || ['done', 'failed'].some((state) => wanted.has(state))
    const byTag = this.#prepare(
      "SELECT doc FROM projection_rows WHERE name = 'agents' AND tag = ? ORDER BY ord DESC, key DESC",
    )
    if (alive) for (const row of byTag.iterate(ALIVE)) yield String(row.doc)
    if (ended) for (const row of byTag.iterate(ENDED)) yield String(row.doc)
  }

  #snapshot<T>(query: () => T): At<T> {
    this.#db.exec('BEGIN')
    try {
      return { seq: lastSeq(this.#db), value: query() }
    } finally {
      this.#db.exec('COMMIT')
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear()
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

const rowOf = (seq: number, body: string): EventRow => ({ seq, json: `{"seq":${seq},${body.slice(1)}` })

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
