import type { StatsGroup, StatsRow } from '@panoptes/schema'
import type { Database } from '../../postgres/database.ts'
import { HOST } from '../host.ts'
import type { SessionFilter } from '../port.ts'
import { SPENT, toStatsRow } from '../stats.ts'
import { buildWhere } from './queries.ts'

const sums = (column: string): string =>
  SPENT.map((field, n) => `sum(${column}[${n + 1}]) AS ${field}`).join(', ')

/** Holds what the client spent outside the transcript, or null when it does not report it. */
const OUTSIDE = `s.spent[${SPENT.length + 1}]`

const COSTLY = 'cost_micro_usd DESC, sessions DESC, name'

interface Group {
  readonly name: string
  readonly from: string
  readonly amounts: string
  readonly order: string
}

const bySession = (name: string, order = COSTLY): Group => ({
  name,
  from: 'index_sessions AS s',
  amounts: `sum(s.messages) AS messages, sum(s.tool_calls) AS tool_calls, sum(s.errors) AS errors, ${sums('s.spent')},
    sum(${OUTSIDE}) AS outside, count(${OUTSIDE}) AS reported`,
  order,
})

/** Limits days to the years 0 to 9999, because SQLite has no names for others either. */
const DAY = `CASE WHEN s.last_at BETWEEN -62135596800000 AND 253402300799999
  THEN to_char(to_timestamp(s.last_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') ELSE '–' END`

const GROUPS: Readonly<Record<StatsGroup, Group>> = {
  source: bySession('s.source'),
  project: bySession("coalesce(s.project, '–')"),
  host: bySession(`coalesce(${HOST}, '–')`),
  day: bySession(DAY, 'name'),
  model: {
    name: "coalesce(nullif(m.model, ''), '–')",
    from: 'index_sessions AS s JOIN index_models AS m ON m.session = s.number',
    amounts: `sum(m.messages) AS messages, sum(m.tool_calls) AS tool_calls, sum(m.errors) AS errors, ${sums('m.spent')}`,
    order: COSTLY,
  },
  tool: {
    name: 't.tool',
    from: 'index_sessions AS s JOIN index_tools AS t ON t.session = s.number',
    amounts: 'NULL AS messages, sum(t.calls) AS tool_calls, sum(t.errors) AS errors',
    order: 'tool_calls DESC, sessions DESC, name',
  },
}

export async function readStats(
  { rows }: Database,
  filter: SessionFilter,
  by: StatsGroup,
): Promise<readonly StatsRow[]> {
  const { sql, values } = buildWhere(filter)
  const { name, from, amounts, order } = GROUPS[by]
  const found = await rows(
    `SELECT (${name}) COLLATE "C" AS name, count(*) AS sessions, ${amounts} FROM ${from} WHERE ${sql}
     GROUP BY 1 ORDER BY ${order}`,
    values,
  )
  return found.map(toStatsRow)
}
