import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Message, PastAgent, PastSession, SessionAgent, Spent } from '@panoptes/schema'
import type { Hit, SearchQuery, SessionFilter, SessionListQuery } from './port.ts'
import { MOST_MESSAGES } from './schema.ts'
import { nothingSpent } from './spent.ts'
import { queryOf } from './words.ts'

interface Where {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** The conditions of a filter, on the table of sessions as `s`. */
export function whereOf(filter: SessionFilter): Where {
  const conditions: [string, SQLInputValue | undefined][] = [
    ['s.id >= ?', filter.id],
    ['s.id < ? || char(1114111)', filter.id],
    ['s.source = ?', filter.source],
    ['s.project = ?', filter.project],
    ['s.model = ?', filter.model],
    ['s.last_at >= ?', filter.since],
    ['s.last_at < ?', filter.until],
    ['s.errors >= ?', filter.errors ? 1 : undefined],
    ['s.cost_micro_usd >= ?', filter.min_cost_micro_usd],
    ['EXISTS (SELECT 1 FROM tools AS t WHERE t.session = s.number AND t.tool = ?)', filter.tool],
  ]
  const used = conditions.filter(([, value]) => value !== undefined)
  return {
    sql: ['s.fingerprint IS NOT NULL', ...used.map(([condition]) => condition)].join(' AND '),
    values: used.map(([, value]) => value as SQLInputValue),
  }
}

const sessionOf = (row: Record<string, unknown>): PastSession => ({
  ...(JSON.parse(String(row.doc)) as PastSession),
  place: String(row.place),
  tags: [],
  note: null,
})

export function listed(db: DatabaseSync, { limit, offset = 0, ...filter }: SessionListQuery): PastSession[] {
  const { sql, values } = whereOf(filter)
  return db
    .prepare(
      `SELECT s.place, s.doc FROM sessions AS s WHERE ${sql} ORDER BY s.last_at DESC, s.number DESC LIMIT ? OFFSET ?`,
    )
    .all(...values, limit, offset)
    .map(sessionOf)
}

export function got(db: DatabaseSync, source: string, id: string): PastSession | null {
  const row = db
    .prepare('SELECT place, doc FROM sessions WHERE source = ? AND id = ? AND fingerprint IS NOT NULL')
    .get(source, id)
  return row === undefined ? null : sessionOf(row)
}

export function agentsOf(db: DatabaseSync, source: string, id: string): PastAgent[] {
  return db
    .prepare(
      'SELECT a.doc, a.messages, a.spent FROM agents AS a JOIN sessions AS s ON s.number = a.session WHERE s.source = ? AND s.id = ? ORDER BY a.id',
    )
    .all(source, id)
    .map((row) => ({
      ...(JSON.parse(String(row.doc)) as SessionAgent),
      messages: Number(row.messages),
      spent: row.spent === null ? nothingSpent() : (JSON.parse(String(row.spent)) as Spent),
    }))
}

/** The best matches of the newest: a common word has too many to rank them all. */
const MOST_RANKED = 5_000

export function searched(db: DatabaseSync, { text, limit, ...filter }: SearchQuery): Hit[] {
  const match = queryOf(text)
  if (match === undefined) return []
  const { sql, values } = whereOf(filter)
  return db
    .prepare(
      `SELECT s.source, s.id AS session_id, s.place, json_extract(s.doc, '$.title') AS title, s.project,
         m.number % ${MOST_MESSAGES} AS n, m.id, m.agent, m.role, m.ts
       FROM (SELECT w.rowid AS number, w.rank AS rank FROM words AS w
             CROSS JOIN sessions AS s ON s.number = w.rowid / ${MOST_MESSAGES}
             WHERE w.words MATCH ? AND ${sql} ORDER BY w.rowid DESC LIMIT ${MOST_RANKED}) AS f
       JOIN messages AS m ON m.number = f.number JOIN sessions AS s ON s.number = f.number / ${MOST_MESSAGES}
       ORDER BY f.rank, m.ts DESC LIMIT ?`,
    )
    .all(match, ...values, limit)
    .map((row) => ({
      source: String(row.source),
      session_id: String(row.session_id),
      n: Number(row.n),
      id: String(row.id),
      agent_id: String(row.agent),
      role: row.role as Message['role'],
      ts: row.ts === null ? null : Number(row.ts),
      title: row.title === null ? null : String(row.title),
      project: row.project === null ? null : String(row.project),
      place: String(row.place),
    }))
}
