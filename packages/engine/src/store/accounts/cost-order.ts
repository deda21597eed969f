import type { CostRow } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import type { CostQuery } from '../accounts-port.ts'

interface Named {
  readonly name: string
  cost: number
  sessions: number
  readonly rows: CostRow[]
}

const byCost = (a: CostRow, b: CostRow): number =>
  b.cost_micro_usd - a.cost_micro_usd || b.sessions - a.sessions || compareText(a.name, b.name)

/** Keeps the rows of one name together. A limit counts names, not rows. */
export function ordered(rows: readonly CostRow[], { by, limit }: CostQuery): readonly CostRow[] {
  // Rows by day are already in order, which matters for a long history.
  if (by === 'day' && limit === undefined)
    return rows.toSorted(
      (a, b) => compareText(a.name, b.name) || byCost(a, b) || compareText(a.model ?? '', b.model ?? ''),
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
  if (by === 'day') all.sort((a, b) => compareText(a.name, b.name))
  else all.sort((a, b) => b.cost - a.cost || b.sessions - a.sessions || compareText(a.name, b.name))
  const limited = limit === undefined ? all : by === 'day' ? all.slice(-limit) : all.slice(0, limit)
  return limited.flatMap(({ rows: own }) =>
    own.toSorted((a, b) => byCost(a, b) || compareText(a.model ?? '', b.model ?? '')),
  )
}
