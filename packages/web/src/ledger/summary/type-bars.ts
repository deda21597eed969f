import type { OutcomeRow } from '@panoptes/schema'
import { OUTCOMES } from '../search-params.ts'

export interface TypeBar {
  readonly row: OutcomeRow
  /** How many types it combines, if it is the remainder. */
  readonly types: number
}

const COUNTED = ['agents', ...OUTCOMES, 'flagged'] as const

/** The most frequent types, with the rest combined into one. */
export function typeBars(rows: readonly OutcomeRow[], most: number): readonly TypeBar[] {
  const sorted = rows
    .filter(({ agents }) => agents > 0)
    .toSorted((a, b) => b.agents - a.agents || a.type.localeCompare(b.type))
  // A remainder of one type shows that type.
  const shown = sorted.length <= most + 1 ? sorted : sorted.slice(0, most)
  const rest = sorted.slice(shown.length)
  const bars = shown.map((row): TypeBar => ({ row, types: 1 }))
  if (rest.length === 0) return bars
  const sums = COUNTED.map((name) => [name, rest.reduce((sum, row) => sum + row[name], 0)])
  return [...bars, { row: { type: '', ...Object.fromEntries(sums) } as OutcomeRow, types: rest.length }]
}
