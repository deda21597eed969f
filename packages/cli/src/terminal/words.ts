/** Sizes, counts and times as a person reads them. */
export const count = (value: number): string => value.toLocaleString('en-US')

/** So many of a thing: `1 event`, `3,604 events`. */
export const counted = (value: number, thing: string): string =>
  `${count(value)} ${thing}${value === 1 ? '' : 's'}`

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

/** A path with `~` for the person's own folder. */
export function tilde(path: string, home: string | undefined = process.env.HOME): string {
  if (!home || home === '/' || !path.startsWith(`${home}/`)) return path
  return `~${path.slice(home.length)}`
}

/** The same within a sentence. */
export function tildes(text: string, home: string | undefined = process.env.HOME): string {
  if (!home || home === '/') return text
  return text
    .split(' ')
    .map((word) => tilde(word, home))
    .join(' ')
}

/** Said where `config.yaml` is newer than the running daemon. */
export const CONFIG_PENDING: readonly string[] = [
  'config.yaml changed since Panoptes started. Start it again with: panoptes stop && panoptes up',
]

/** Two or more columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[], indent = '  '): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    })
  }
  return rows.map(
    (row) =>
      indent +
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
  )
}
