import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { costDays } from './cost-days.ts'
import { addTo, noneSpent, SPENT, type Spent, type TypedCell } from './cost-facts.ts'
import { ordered } from './costs-ordered.ts'
import { nameOf } from './names.ts'
import type { AccountDoc } from './put.ts'

interface Sum {
  readonly name: string
  readonly model: string | null
  readonly spent: Spent
  readonly sessions: Set<number>
}

/** What one session took is added up from its cells; no sum is of one session's agents. */
export function costsOfAccounts(
  statements: Statements,
  numbers: readonly number[],
  query: CostQuery,
): readonly CostRow[] {
  const sums = new Map<string, Sum>()
  for (const { number, source, session, project, cells } of accountsIn(statements, numbers, query))
    for (const typed of cells) {
      const name = rowName(query.by, typed, { source, session, project })
      const model = query.splitByModel ? nameOf(typed.cell.model) : null
      const key = JSON.stringify([name, model])
      const sum = sums.get(key) ?? { name, model, spent: noneSpent(), sessions: new Set() }
      sums.set(key, sum)
      addTo(
        sum.spent,
        SPENT.map((field) => typed.cell[field]),
      )
      sum.sessions.add(number)
    }
  const rows = [...sums.values()].map(({ name, model, spent, sessions }) => ({
    ...(Object.fromEntries(SPENT.map((field, n) => [field, spent[n]])) as Omit<
      CostRow,
      'name' | 'model' | 'sessions'
    >),
    name,
    model,
    sessions: sessions.size,
  }))
  return ordered(rows, query)
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

/** What of these accounts the query is of. */
export function accountsIn(
  statements: Statements,
  numbers: readonly number[],
  query: Omit<CostQuery, 'by'>,
): (Whose & {
  readonly number: number
  readonly day: string | null
  readonly cells: readonly TypedCell[]
})[] {
  const find = statements.of('SELECT source, session_id, day, doc FROM accounts WHERE number = ?')
  const { from, to } = costDays(query)
  return numbers.flatMap((number) => {
    const row = find.get(number)
    if (row === undefined) return []
    const doc = JSON.parse(String(row.doc)) as AccountDoc
    const [source, project] = [String(row.source), nameOf(doc.project)]
    if (query.source !== undefined && query.source !== source) return []
    if (query.project !== undefined && nameOf(query.project) !== project) return []
    const isAsked = ({ cell }: TypedCell) =>
      cell.day >= from &&
      (to === undefined || cell.day < to) &&
      (query.model === undefined || nameOf(query.model) === nameOf(cell.model))
    const day = row.day === null ? null : String(row.day)
    return [
      { number, source, session: String(row.session_id), project, day, cells: doc.cells.filter(isAsked) },
    ]
  })
}
