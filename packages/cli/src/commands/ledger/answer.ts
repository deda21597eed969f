import type { Context } from '../../context.ts'
import { csv } from '../../terminal/csv.ts'
import { fit } from '../../terminal/fit.ts'
import { columns } from '../../terminal/words.ts'
import { aligned } from './words.ts'

type Cell = string | number | boolean | null | undefined

/** A list in its three shapes: a table for people, rows for a spreadsheet, and a document. */
export interface Table<R> {
  readonly rows: readonly R[]
  readonly head: readonly string[]
  readonly cells: (row: R) => readonly string[]
  /** Columns of words, by place; with the least that is kept of those that may be cut. */
  readonly words: readonly number[]
  readonly cut: Readonly<Record<number, number>>
  /** Columns that go first where a terminal is narrow. */
  readonly drop?: readonly number[]
  readonly csvHead: readonly string[]
  readonly csvCells: (row: R) => readonly Cell[]
  readonly document: object
  readonly empty: readonly string[]
  /** What stands under the table. */
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
