import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'
import { type Asking, rowsOf } from './asking.ts'
import { costDays } from './cost-days.ts'
import { addTo, noneSpent, SPENT, type Spent, type TypedCell } from './cost-facts.ts'
import { nameOf } from './names.ts'
import type { AccountDoc } from './put.ts'
import type { Scope } from './where.ts'

interface Sum {
  readonly name: string
  readonly model: string | null
  readonly source: string | null
  readonly spent: Spent
  readonly sessions: Set<number>
}

/** What one session took is added up from its cells; no sum is of one session's agents. */
export function* costsOfAccounts(
  scope: Scope,
  numbers: readonly number[],
  query: CostQuery,
): Asking<readonly CostRow[]> {
  const sums = new Map<string, Sum>()
  for (const { number, source, session, project, cells } of yield* accountsIn(scope, numbers, query))
    for (const typed of cells) {
      const name = rowName(query.by, typed, { source, session, project })
      const model = query.splitByModel ? nameOf(typed.cell.model) : null
      const key = JSON.stringify([name, model])
      const sum = sums.get(key) ?? {
        name,
        model,
        source: query.by === 'session' ? source : null,
        spent: noneSpent(),
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

interface Whose {
  readonly source: string
  readonly session: string
  readonly project: string
}

function rowName(by: CostQuery['by'], { cell, type }: TypedCell, whose: Whose): string {
  switch (by) {
    case 'day':
      return cell.day
    case 'source':
      return whose.source
    case 'project':
      return whose.project
    case 'model':
      return nameOf(cell.model)
    case 'agent':
      return type
    case 'skill':
      return nameOf(cell.skill)
    case 'session':
      return `${whose.source}/${whose.session}`
  }
}

type OfAccount = Whose & {
  readonly number: number
  readonly day: string | null
  readonly cells: readonly TypedCell[]
}

/** What of these accounts the query is of. */
export function* accountsIn(
  { dialect }: Scope,
  numbers: readonly number[],
  query: Omit<CostQuery, 'by'>,
): Asking<readonly OfAccount[]> {
  const { from, to } = costDays(query)
  const { sql, values } = dialect.oneOf('number', numbers)
  const rows = yield* rowsOf(
    `SELECT number, source, session_id, day, doc FROM accounts WHERE ${sql} ORDER BY number`,
    values,
  )
  return rows.flatMap((row) => {
    const doc = JSON.parse(String(row.doc)) as AccountDoc
    const [source, project] = [String(row.source), nameOf(doc.project)]
    if (query.source !== undefined && query.source !== source) return []
    if (query.project !== undefined && nameOf(query.project) !== project) return []
    const isAsked = ({ cell }: TypedCell) =>
      cell.day >= from &&
      (to === undefined || cell.day < to) &&
      (query.model === undefined || nameOf(query.model) === nameOf(cell.model))
    return [
      {
        number: Number(row.number),
        source,
        session: String(row.session_id),
        project,
        day: row.day === null ? null : String(row.day),
        cells: doc.cells.filter(isAsked),
      },
    ]
  })
}
