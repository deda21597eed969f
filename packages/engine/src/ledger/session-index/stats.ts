import type { DatabaseSync } from 'node:sqlite'
import type { Spent, StatsGroup, StatsRow } from '@panoptes/schema'
import type { SessionFilter } from './port.ts'
import { whereOf } from './queries.ts'

const NAMES: Readonly<Record<StatsGroup, string>> = {
  source: 's.source',
  project: "coalesce(s.project, '–')",
  model: "coalesce(s.model, '–')",
  tool: 't.tool',
  day: "coalesce(strftime('%Y-%m-%d', s.last_at / 1000, 'unixepoch'), '–')",
}

const SPENT: readonly (keyof Spent)[] = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'reasoning',
  'cost_micro_usd',
  'usage_unknown',
  'cost_unknown',
]

/** By tool, each session counts for every tool it used, with the calls of that tool alone. */
export function statsOf(db: DatabaseSync, filter: SessionFilter, by: StatsGroup): StatsRow[] {
  const { sql, values } = whereOf(filter)
  const sums = SPENT.map((field) => `sum(json_extract(s.doc, '$.spent.${field}')) AS ${field}`)
  const order = by === 'day' ? 'name' : 'cost_micro_usd DESC, sessions DESC, name'
  const calls = by === 'tool' ? 't.calls' : 's.tool_calls'
  const from = by === 'tool' ? 'sessions AS s JOIN tools AS t ON t.session = s.number' : 'sessions AS s'
  return db
    .prepare(
      `SELECT ${NAMES[by]} AS name, count(*) AS sessions, sum(s.messages) AS messages, sum(${calls}) AS tool_calls,
         sum(s.errors) AS errors, ${sums.join(', ')} FROM ${from} WHERE ${sql} GROUP BY name ORDER BY ${order}`,
    )
    .all(...values)
    .map((row) => ({
      name: String(row.name),
      sessions: Number(row.sessions),
      messages: Number(row.messages),
      tool_calls: Number(row.tool_calls),
      errors: Number(row.errors),
      spent: Object.fromEntries(SPENT.map((field) => [field, Number(row[field])])) as Spent,
    }))
}
