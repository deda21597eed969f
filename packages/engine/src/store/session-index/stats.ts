import type { DatabaseSync } from 'node:sqlite'
import type { Spent, StatsGroup, StatsRow } from '@panoptes/schema'
import { HOST } from './host.ts'
import type { SessionFilter } from './port.ts'
import { buildWhere, HAS_WORK } from './queries.ts'

export const SPENT: readonly (keyof Spent)[] = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'reasoning',
  'cost_micro_usd',
  'usage_unknown',
  'cost_unknown',
]

const sums = (column: string, at = '$'): string =>
  SPENT.map((field) => `sum(json_extract(${column}, '${at}.${field}')) AS ${field}`).join(', ')

interface Group {
  readonly name: string
  readonly from: string
  readonly amounts: string
  readonly order: string
}

const COSTLY = 'cost_micro_usd DESC, sessions DESC, name'

const bySession = (name: string, order = COSTLY): Group => ({
  name,
  from: 'sessions AS s',
  amounts: `sum(s.messages) AS messages, sum(s.tool_calls) AS tool_calls, sum(s.errors) AS errors,
    ${sums('s.doc', '$.spent')},
    sum(json_extract(s.doc, '$.outside_micro_usd')) AS outside, count(json_extract(s.doc, '$.outside_micro_usd')) AS reported`,
  order,
})

const GROUPS: Readonly<Record<StatsGroup, Group>> = {
  source: bySession('s.source'),
  project: bySession("coalesce(s.project, '–')"),
  host: bySession(`coalesce(${HOST}, '–')`),
  day: bySession("coalesce(strftime('%Y-%m-%d', s.last_at / 1000, 'unixepoch'), '–')", 'name'),
  model: {
    name: "coalesce(nullif(m.model, ''), '–')",
    from: 'sessions AS s JOIN models AS m ON m.session = s.number',
    amounts: `sum(m.messages) AS messages, sum(m.tool_calls) AS tool_calls, sum(m.errors) AS errors, ${sums('m.spent')}`,
    order: COSTLY,
  },
  tool: {
    name: 't.tool',
    from: 'sessions AS s JOIN tools AS t ON t.session = s.number',
    amounts: 'NULL AS messages, sum(t.calls) AS tool_calls, sum(t.errors) AS errors',
    order: 'tool_calls DESC, sessions DESC, name',
  },
}

/**
 * By model and by tool, a session counts once for each one it used, with the share of that one alone. A tool
 * has no messages and no cost of its own.
 */
export function readStats(db: DatabaseSync, filter: SessionFilter, by: StatsGroup): StatsRow[] {
  const { sql, values } = buildWhere(filter)
  const { name, from, amounts, order } = GROUPS[by]
  return db
    .prepare(
      `SELECT ${name} AS name, count(*) AS sessions, ${amounts} FROM ${from} WHERE ${sql} AND ${HAS_WORK} GROUP BY 1 ORDER BY ${order}`,
    )
    .all(...values)
    .map(toStatsRow)
}

export const toStatsRow = (row: Readonly<Record<string, unknown>>): StatsRow => ({
  name: String(row.name),
  sessions: Number(row.sessions),
  messages: row.messages === null ? null : Number(row.messages),
  tool_calls: Number(row.tool_calls),
  errors: Number(row.errors),
  spent: row.messages === null ? null : spentIn(row),
  ...(row.reported !== undefined && {
    outside_micro_usd: row.outside === null ? 0 : Number(row.outside),
    outside_unknown: Number(row.sessions) - Number(row.reported),
  }),
})

const spentIn = (row: Readonly<Record<string, unknown>>): Spent =>
  Object.fromEntries(SPENT.map((field) => [field, Number(row[field])])) as Spent
