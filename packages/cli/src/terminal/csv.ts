import { csvText } from '@panoptes/schema/shown'

type Cell = string | number | boolean | null | undefined

/** Formats rows as CSV, with quotes where needed and no cell that a spreadsheet would run as a formula. */
export const csv = (head: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] =>
  [head, ...rows].map((row) => row.map(cell).join(','))

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? csvText(value) : String(value)
}
