import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../accounts-port.ts'

interface Named {
  readonly name: string
  cost: number
  sessions: number
  readonly rows: CostRow[]
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byCost = (a: CostRow, b: CostRow): number =>
  b.cost_micro_usd - a.cost_micro_usd || b.sessions - a.sessions || byText(a.name, b.name)

/** Rows of one name stay together; a limit is of names. */
export function ordered(rows: readonly CostRow[], { by, limit }: CostQuery): readonly CostRow[] {
  // A long history of days comes in order already.
  if (by === 'day' && limit === undefined)
    return rows.toSorted(
      (a, b) => byText(a.name, b.name) || byCost(a, b) || byText(a.model ?? '', b.model ?? ''),
    )
  const names = new Map<string, Named>()
  for (const row of rows) {
    const named = names.get(row.name) ?? { name: row.name, cost: 0, sessions: 0, rows: [] }
    names.set(row.name, named)
    named.cost += row.cost_micro_usd
    named.sessions = Math.max(named.sessions, row.sessions)
    named.rows.push(row)
  }
  const all = [...names.values()]
  if (by === 'day') all.sort((a, b) => byText(a.name, b.name))
  else all.sort((a, b) => b.cost - a.cost || b.sessions - a.sessions || byText(a.name, b.name))
  const kept = limit === undefined ? all : by === 'day' ? all.slice(-limit) : all.slice(0, limit)
  return kept.flatMap(({ rows: own }) =>
    own.toSorted((a, b) => byCost(a, b) || byText(a.model ?? '', b.model ?? '')),
  )
}
