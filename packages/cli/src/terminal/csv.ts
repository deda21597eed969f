type Cell = string | number | boolean | null | undefined

/** Rows for a spreadsheet: commas, quotes where needed, and nothing that it would take for a formula. */
export const csv = (head: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] =>
  [head, ...rows].map((row) => row.map(cell).join(','))

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
