import type { Context } from '../../context.ts'
import { fit } from '../../terminal/column-widths.ts'
import { csv } from '../../terminal/csv.ts'
import { columns } from '../../terminal/format.ts'
import { aligned } from './format.ts'

type Cell = string | number | boolean | null | undefined

/** Prints a list as a table, as CSV or as JSON. */
export interface Table<R> {
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

export function answerTable<R>(context: Context, options: { readonly csv?: boolean }, table: Table<R>): void {
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
  const all = aligned([head, ...rows.map(cells)], words)
  const fitted = fit(all, { width: output.width, indent: 0, text: cut, drop })
  output.answer([...columns(fitted, ''), ...foot], document)
}
