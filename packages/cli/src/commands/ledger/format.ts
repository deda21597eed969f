import type { AccountSpent, CostRow } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { fitColumns } from '../../terminal/column-widths.ts'
import { type Cell, columns, count, csv } from '../../terminal/format.ts'
import { dollars } from '../sessions/format.ts'

/** Shows an unknown value as a dash. */
export const formatOrDash = (value: number | null, text: (value: number) => string = count): string =>
  value === null ? '–' : text(value)

export const usd = (micro: number | null): number | null => (micro === null ? null : micro / 1_000_000)

/** Formats dollars for other programs, empty if no price is known. */
export const knownUsd = (micro: number, unknown: number): number | null =>
  micro === 0 && unknown > 0 ? null : usd(micro)

/** Formats a cost and the number of replies with an unknown price. */
export function moneyText({
  cost_micro_usd: cost,
  cost_unknown: unknown,
}: Pick<AccountSpent, 'cost_micro_usd' | 'cost_unknown'>): string {
  if (cost === null || (cost === 0 && unknown > 0)) return '–'
  return unknown > 0 ? `${dollars(cost)} + ${count(unknown)} unknown` : dollars(cost)
}

export const costText = ({ cost_micro_usd, cost_unknown, usage_unknown }: CostRow): string =>
  moneyText({ cost_micro_usd, cost_unknown: cost_unknown + usage_unknown })

export const percent = (share: number | null): string =>
  share === null ? '–' : `${Math.round(share * 100)} %`

/** Right-aligns numbers. Text columns are given by index. */
function alignColumns(
  rows: readonly (readonly string[])[],
  words: readonly number[],
): readonly (readonly string[])[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row.map((cell, at) => (words.includes(at) ? cell : cell.padStart(widths[at] ?? 0))),
  )
}

/** Prints a list as a table, as CSV or as JSON. */
interface Table<R> {
  readonly rows: readonly R[]
  readonly head: readonly string[]
  readonly cells: (row: R) => readonly string[]
  /** Text columns by index, with the minimum width of those that may be cut. */
  readonly words: readonly number[]
  readonly cut: Readonly<Record<number, number>>
  /** Columns that narrow terminals drop first. */
  readonly drop?: readonly number[]
  readonly csvHead: readonly string[]
  readonly csvCells: (row: R) => readonly Cell[]
  readonly document: object
  readonly empty: readonly string[]
  /** Text below the table. */
  readonly foot?: readonly string[]
}

export function printTable<R>(context: Context, options: { readonly csv?: boolean }, table: Table<R>): void {
  const { output } = context
  const { rows, head, cells, words, cut, drop = [], csvHead, csvCells, document, empty, foot = [] } = table
  if (options.csv) {
    output.answer(csv(csvHead, rows.map(csvCells)), document)
    return
  }
  if (rows.length === 0) {
    output.answer(empty, document)
    return
  }
  const all = alignColumns([head, ...rows.map(cells)], words)
  const fitted = fitColumns(all, { width: output.width, indent: 0, text: cut, drop })
  output.answer([...columns(fitted, ''), ...foot], document)
}
