import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'
import type { AccountDoc } from './account-writes.ts'
import { costDays } from './cost-days.ts'
import { addTo, createZeroSpent, outsideDay, SPENT, type Spent, type TypedCell } from './cost-facts.ts'
import { type QueryGenerator, queryRows } from './dialect.ts'
import { nameOrUnknown } from './names.ts'
import type { OutsideRow } from './outside-costs.ts'
import type { Scope } from './where-clause.ts'

interface Sum {
  readonly name: string
  readonly model: string | null
  readonly source: string | null
  readonly spent: Spent
  readonly sessions: Set<number>
}

/**
 * Sums the costs of one session from its cells, because no stored sum covers the agents of a single session.
 */
export function* costsOfAccounts(
  scope: Scope,
  numbers: readonly number[],
  query: CostQuery,
): QueryGenerator<readonly CostRow[]> {
  const sums = new Map<string, Sum>()
  for (const { number, source, session, project, cells } of yield* accountsIn(scope, numbers, query))
    for (const typed of cells) {
      const name = rowName(query.by, typed, { source, session, project })
      const model = query.splitByModel ? nameOrUnknown(typed.cell.model) : null
      const key = JSON.stringify([name, model])
      const sum = sums.get(key) ?? {
        name,
        model,
        source: query.by === 'session' ? source : null,
        spent: createZeroSpent(),
        sessions: new Set<number>(),
      }
      sums.set(key, sum)
      addTo(
        sum.spent,
        SPENT.map((field) => typed.cell[field]),
      )
      sum.sessions.add(number)
    }
  const rows = [...sums.values()].map(({ name, model, source, spent, sessions }) => ({
    ...(Object.fromEntries(SPENT.map((field, n) => [field, spent[n]])) as Omit<
      CostRow,
      'name' | 'model' | 'source' | 'sessions'
    >),
    name,
    model,
    source,
    sessions: sessions.size,
  }))
  return rows
}

/** Sums what the clients of these accounts report as spent outside their transcripts. */
export function* outsideOfAccounts(
  scope: Scope,
  numbers: readonly number[],
  query: CostQuery,
): QueryGenerator<readonly OutsideRow[]> {
  const sums = new Map<string, { name: string; model: string | null; cost: number; sessions: Set<number> }>()
  for (const { number, source, session, project, cells, outside, outsideOn } of yield* accountsIn(
    scope,
    numbers,
    query,
  )) {
    if (!outside || (query.by === 'session' && cells.length === 0)) continue
    const add = (day: string, of: string | null, cost: number | null) => {
      const name = outsideName(query.by, of, { day, source, session, project })
      if (name === undefined) return
      const model = query.splitByModel ? nameOrUnknown(of) : null
      const key = JSON.stringify([name, model])
      const sum = sums.get(key) ?? { name, model, cost: 0, sessions: new Set() }
      sums.set(key, sum)
      if (cost === null) sum.sessions.add(number)
      else sum.cost += cost
    }
    for (const { cell } of cells) add(cell.day, cell.model, null)
    if (outsideOn === null) continue
    const isWhole = query.model === undefined && !query.splitByModel && query.by !== 'model'
    if (isWhole) add(outsideOn, null, outside.cost_micro_usd)
    else
      for (const { model, cost_micro_usd } of outside.models)
        if (query.model === undefined || nameOrUnknown(query.model) === nameOrUnknown(model))
          add(outsideOn, model, cost_micro_usd)
  }
  return [...sums.values()].map(({ name, model, cost, sessions }) => ({
    name,
    model,
    cost_micro_usd: cost,
    sessions: sessions.size,
  }))
}

function outsideName(
  by: CostQuery['by'],
  model: string | null,
  of: RowScope & { readonly day: string },
): string | undefined {
  if (by === 'agent' || by === 'skill') return undefined
  if (by === 'model') return nameOrUnknown(model)
  return by === 'session' ? `${of.source}/${of.session}` : of[by]
}

interface RowScope {
  readonly source: string
  readonly session: string
  readonly project: string
}

function rowName(by: CostQuery['by'], { cell, type }: TypedCell, whose: RowScope): string {
  switch (by) {
    case 'day':
      return cell.day
    case 'source':
      return whose.source
    case 'project':
      return whose.project
    case 'model':
      return nameOrUnknown(cell.model)
    case 'agent':
      return type
    case 'skill':
      return nameOrUnknown(cell.skill)
    case 'session':
      return `${whose.source}/${whose.session}`
  }
}

type OfAccount = RowScope & {
  readonly number: number
  readonly day: string | null
  readonly cells: readonly TypedCell[]
  readonly outside: AccountDoc['outside']
  /** The day it counts on, or null when that day is outside the span. */
  readonly outsideOn: string | null
}

/** Selects the parts of these accounts that the query asks for. */
export function* accountsIn(
  { dialect }: Scope,
  numbers: readonly number[],
  query: Omit<CostQuery, 'by'>,
): QueryGenerator<readonly OfAccount[]> {
  const { from, to } = costDays(query)
  const { sql, values } = dialect.isIn('number', numbers)
  const rows = yield* queryRows(
    `SELECT number, source, session_id, day, doc FROM accounts WHERE ${sql} ORDER BY number`,
    values,
  )
  return rows.flatMap((row) => {
    const doc = JSON.parse(String(row.doc)) as AccountDoc
    const [source, project] = [String(row.source), nameOrUnknown(doc.project)]
    if (query.source !== undefined && query.source !== source) return []
    if (query.project !== undefined && nameOrUnknown(query.project) !== project) return []
    const isIn = (day: string) => day >= from && (to === undefined || day < to)
    const matchesQuery = ({ cell }: TypedCell) =>
      isIn(cell.day) &&
      (query.model === undefined || nameOrUnknown(query.model) === nameOrUnknown(cell.model))
    const day = row.day === null ? null : String(row.day)
    const on = outsideDay(doc.cells, day)
    return [
      {
        number: Number(row.number),
        source,
        session: String(row.session_id),
        project,
        day,
        cells: doc.cells.filter(matchesQuery),
        outside: doc.outside,
        outsideOn: on !== null && isIn(on) ? on : null,
      },
    ]
  })
}
