import type { DatabaseSync } from 'node:sqlite'
import type { PastSession } from '@panoptes/schema'
import { countReplies } from './packed-messages.ts'
import type { SessionListQuery, SessionWork } from './port.ts'
import { buildWhere, HAS_WORK } from './queries.ts'
import { MOST_MESSAGES } from './schema.ts'

/** Lists sessions newest first. Expensive columns are queried only for those that are returned. */
export function readWorks(
  db: DatabaseSync,
  { limit, offset = 0, ...filter }: SessionListQuery,
): SessionWork[] {
  const { sql, values } = buildWhere(filter)
  return db
    .prepare(
      `SELECT s.doc,
         (SELECT json_group_array(json_object('tool', t.tool, 'calls', t.calls, 'errors', t.errors))
          FROM tools AS t WHERE t.session = s.number) AS tools,
         (SELECT sum(${countReplies('m.doc')}) FROM messages AS m
          WHERE m.number >= s.number * ${MOST_MESSAGES} AND m.number < (s.number + 1) * ${MOST_MESSAGES}) AS turns
       FROM (SELECT s.number, s.last_at, s.doc FROM sessions AS s WHERE ${sql} AND ${HAS_WORK}
             ORDER BY s.last_at DESC, s.number DESC LIMIT ? OFFSET ?) AS s
       ORDER BY s.last_at DESC, s.number DESC`,
    )
    .all(...values, limit, offset)
    .map(toWork)
}

export function toWork(row: Readonly<Record<string, unknown>>): SessionWork {
  const session = JSON.parse(String(row.doc)) as PastSession
  const { source, id, title, project, started_at, last_at, ended_at, tool_calls, errors } = session
  const about = { source, id, title, project, started_at, last_at, ended_at }
  const tools = JSON.parse(String(row.tools)) as SessionWork['tools']
  const turns = Number(row.turns ?? 0)
  return { ...about, turns, tool_calls, errors, tokens: countTokens(session.spent, turns), tools }
}

/**
 * The sum is unknown when the usage of some replies is, or when replies add up to nothing. Reasoning is part
 * of the output.
 */
function countTokens(spent: PastSession['spent'], turns: number): number | null {
  const { input, output, cache_read, cache_write, usage_unknown } = spent
  const sum = input + output + cache_read + cache_write
  return usage_unknown > 0 || (sum === 0 && turns > 0) ? null : sum
}
