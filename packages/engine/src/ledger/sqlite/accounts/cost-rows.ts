import type { CostRow } from '@panoptes/schema'
import type { CostQuery } from '../../accounts-port.ts'
import { SPENT } from './cost-facts.ts'
import { ordered } from './costs-ordered.ts'

/** Rows of costs as the text of a list of lists: long ones are then made where they are needed, and only once. */
export type CostText = string

const FIELDS = ['name', 'model', 'sessions', ...SPENT] as const

export const costText = (rows: readonly CostRow[]): CostText =>
  JSON.stringify(rows.map((row) => FIELDS.map((field) => row[field])))

export function readCosts(text: CostText, query: CostQuery): readonly CostRow[] {
  const lists = JSON.parse(text) as unknown[][]
  const rows = lists.map((list) => {
    const row: Record<string, unknown> = {}
    for (const [n, field] of FIELDS.entries()) row[field] = list[n]
    return row as unknown as CostRow
  })
  return ordered(rows, query)
}
