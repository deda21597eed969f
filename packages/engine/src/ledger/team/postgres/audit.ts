import type { AuditEntry } from '@panoptes/schema'
import type { Database, Row, Value } from '../../postgres/database.ts'
import type { AuditNote, AuditQuery } from '../port.ts'
import { NOW } from './tables.ts'

/** What somebody sent may be in it. */
const LONGEST = 500

const COLUMNS = ['actor', 'user_id', 'token_id', 'space', 'action', 'target', 'outcome', 'address'] as const

export async function note({ run }: Database, entries: readonly AuditNote[]): Promise<null> {
  if (entries.length === 0) return null
  const columns = COLUMNS.map((name) => entries.map((entry) => entry[name]?.slice(0, LONGEST) ?? null))
  await run(
    `INSERT INTO audit (ts, ${COLUMNS.join(', ')})
     SELECT ${NOW}, * FROM unnest(${COLUMNS.map((_, at) => `$${at + 1}::text[]`).join(', ')})`,
    columns,
  )
  return null
}

export async function readAudit({ rows }: Database, query: AuditQuery) {
  const { space, actor, action, before, limit } = query
  const values: Value[] = []
  const of = (value: Value): string => `$${values.push(value)}`
  const where = [
    ...(space === undefined ? [] : [space === null ? 'space IS NULL' : ofSpace(of(space))]),
    ...(actor === undefined ? [] : [`lower(actor) = lower(${of(actor)})`]),
    // Actions are named from the whole to the part: "tokens" also finds "tokens.create".
    ...(action === undefined ? [] : [`(action = ${of(action)} OR starts_with(action, ${of(`${action}.`)}))`]),
    ...(before === undefined ? [] : [`id < ${of(before)}`]),
  ]
  const found = await rows(
    `SELECT id, ts, ${COLUMNS.join(', ')} FROM audit ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`}
     ORDER BY id DESC LIMIT ${of(limit + 1)}`,
    values,
  )
  const entries = found.slice(0, limit).map(entryIn)
  return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null }
}

/** What was done in a space of this name that was removed is no business of a new one. */
const ofSpace = (name: string): string =>
  `space = ${name} AND ts >= coalesce((SELECT created_at FROM spaces WHERE name = ${name}), 0)`

export const retainAudit = ({ run }: Database, before: number): Promise<number> =>
  run('DELETE FROM audit WHERE ts < $1', [Math.floor(before)])

const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))

const entryIn = (row: Row): AuditEntry => ({
  id: Number(row.id),
  ts: Number(row.ts),
  actor: textOrNull(row.actor),
  user_id: textOrNull(row.user_id),
  token_id: textOrNull(row.token_id),
  space: textOrNull(row.space),
  action: String(row.action),
  target: textOrNull(row.target),
  outcome: row.outcome as AuditEntry['outcome'],
  address: textOrNull(row.address),
})
