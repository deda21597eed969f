import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { PastAgent, PastSession, SessionAgent, Spent } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { HOST, hostIn } from './host.ts'
import type { SessionFilter, SessionListQuery } from './port.ts'

interface Where {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** Returns the conditions of a filter on the table of sessions as `s`. */
export function buildWhere(filter: SessionFilter): Where {
  const conditions: [string, SQLInputValue | undefined][] = [
    ['s.id >= ?', filter.id],
    ['s.id < ? || char(1114111)', filter.id],
    ['s.source = ?', filter.source],
    ['s.project = ?', filter.project],
    [`${HOST} = ?`, filter.host],
    ['s.last_at >= ?', filter.since],
    ['s.last_at < ?', filter.until],
    ['s.errors >= ?', filter.errors ? 1 : undefined],
    ['s.cost_micro_usd >= ?', filter.min_cost_micro_usd],
    ['EXISTS (SELECT 1 FROM models AS m WHERE m.session = s.number AND m.model = ?)', filter.model],
    ['EXISTS (SELECT 1 FROM tools AS t WHERE t.session = s.number AND t.tool = ?)', filter.tool],
    [
      "(s.source, s.id) IN (SELECT value ->> 'source', value ->> 'id' FROM json_each(?))",
      filter.of && JSON.stringify(filter.of),
    ],
  ]
  const used = conditions.filter(([, value]) => value !== undefined)
  return {
    sql: ['s.fingerprint IS NOT NULL', ...used.map(([condition]) => condition)].join(' AND '),
    values: used.map(([, value]) => value as SQLInputValue),
  }
}

/** Excludes sessions of which only the prompts are left: they are no work, and their cost is unknown. */
export const HAS_WORK = "coalesce(s.doc ->> '$.prompts_only', 0) = 0"

/** Whether only the archive has a session. */
const IS_ARCHIVED = `EXISTS (SELECT 1 FROM archive_sessions AS a WHERE a.source = s.source AND a.id = s.id
  AND a.gone_at IS NOT NULL) AS archived`

export function toSession(row: Readonly<Record<string, unknown>>): PastSession {
  const session = JSON.parse(String(row.doc)) as PastSession
  const place = String(row.place)
  const host = hostIn(session, place)
  return {
    ...session,
    place,
    ...(host !== undefined && { host }),
    ...(row.archived === 1 && { archived: true }),
    tags: [],
    note: null,
  }
}

export function listed(db: DatabaseSync, { limit, offset = 0, ...filter }: SessionListQuery): PastSession[] {
  const { sql, values } = buildWhere(filter)
  return db
    .prepare(
      `SELECT s.place, s.doc, ${IS_ARCHIVED} FROM sessions AS s WHERE ${sql} ORDER BY s.last_at DESC, s.number DESC LIMIT ? OFFSET ?`,
    )
    .all(...values, limit, offset)
    .map(toSession)
}

export function got(db: DatabaseSync, source: string, id: string): PastSession | null {
  const row = db
    .prepare(
      `SELECT s.place, s.doc, ${IS_ARCHIVED} FROM sessions AS s WHERE source = ? AND id = ? AND fingerprint IS NOT NULL`,
    )
    .get(source, id)
  return row === undefined ? null : toSession(row)
}

export function readAgents(db: DatabaseSync, source: string, id: string): PastAgent[] {
  return db
    .prepare(
      'SELECT a.doc, a.messages, a.spent FROM agents AS a JOIN sessions AS s ON s.number = a.session WHERE s.source = ? AND s.id = ? AND s.fingerprint IS NOT NULL ORDER BY a.id',
    )
    .all(source, id)
    .map(toAgent)
}

export const toAgent = (row: Readonly<Record<string, unknown>>): PastAgent => ({
  ...(JSON.parse(String(row.doc)) as SessionAgent),
  messages: Number(row.messages),
  spent: row.spent === null ? createZeroSpent() : (JSON.parse(String(row.spent)) as Spent),
})
