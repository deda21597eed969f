import { csvText } from '@panoptes/schema/shown'
import { visibleLength } from './paint.ts'

export { plural } from '@panoptes/schema/numbers'

/** Formats sizes, counts and times for people. */
export const count = (value: number): string => value.toLocaleString('en-US')

export function size(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`
  return `${Math.floor(minutes / 1440)} days`
}

const pad = (value: number): string => String(value).padStart(2, '0')

/** Shortens a path in the home folder of the user with `~`. */
export function shortenPath(path: string, home: string | undefined = process.env.HOME): string {
  if (!home || home === '/' || !path.startsWith(`${home}/`)) return path
  return `~${path.slice(home.length)}`
}

/** Shortens paths within a sentence. */
export function shortenPaths(text: string, home: string | undefined = process.env.HOME): string {
  if (!home || home === '/') return text
  return text
    .split(' ')
    .map((word) => shortenPath(word, home))
    .join(' ')
}

/** The note for a `config.yaml` that is newer than the running daemon. */
export const CONFIG_PENDING: readonly string[] = [
  'config.yaml changed since Panoptes started. Restart it with: panoptes stop && panoptes up',
]

/** Keeps a row on one line, so that no cell can imitate another row. */
const onOneLine = (cell: string): string => cell.replace(/[\n\v\f\r\t\u0085\u2028\u2029]+/g, ' ')

/** Aligns two or more columns, each as wide as its widest cell. */
export function columns(table: readonly (readonly string[])[], indent = '  '): string[] {
  const rows = table.map((row) => row.map(onOneLine))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, visibleLength(cell))
    })
  }
  return rows.map(
    (row) =>
      indent +
      row
        .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - visibleLength(cell)))
        .join('  ')
        .trimEnd(),
  )
}

export type Cell = string | number | boolean | null | undefined

/** Formats rows as CSV, with quotes where needed and no cell that a spreadsheet would run as a formula. */
export const csv = (head: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] =>
  [head, ...rows].map((row) => row.map(cell).join(','))

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? csvText(value) : String(value)
}
