import { csvText } from '@panoptes/schema/shown'

type Cell = string | number | null

const cellText = (cell: Cell): string =>
  cell === null ? '' : typeof cell === 'number' ? String(cell) : csvText(cell)

/** Builds rows for a spreadsheet. Text from agents is escaped so that it cannot become a formula. */
export const toCsv = (heads: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [heads, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')

/** Downloads a file in the browser. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}
