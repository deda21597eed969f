/** How columns become narrower in a terminal. */
interface FitOptions {
  /** The width of the terminal. Without one, no column is cut. */
  readonly width: number | undefined
  readonly indent: number
  /** Columns of free text with their minimum widths. The widest of them is cut first. */
  readonly text: Readonly<Record<number, number>>
  /** Columns that are dropped one by one if cutting is not enough. */
  readonly drop: readonly number[]
}

const GAP = 2

/** Cuts cells and drops columns until the rows fit. */
export function fitColumns(
  rows: readonly (readonly string[])[],
  { width, indent, text, drop }: FitOptions,
): readonly (readonly string[])[] {
  if (width === undefined) return rows
  let visible = rows[0]?.map((_, at) => at) ?? []
  for (const next of [...drop, undefined]) {
    const widths = computeWidths(rows, visible, text, width - indent)
    if (next === undefined || total(widths) <= width - indent)
      return rows.map((row) => visible.map((at, n) => cutTo(row[at] ?? '', widths[n] ?? 0)))
    visible = visible.filter((at) => at !== next)
  }
  return rows
}

/**
 * Computes the widths of the remaining columns. Text columns shrink together until all fit or reach their
 * minimum.
 */
function computeWidths(
  rows: readonly (readonly string[])[],
  visible: readonly number[],
  text: FitOptions['text'],
  room: number,
): readonly number[] {
  const widths = visible.map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)))
  for (let over = total(widths) - room; over > 0; over--) {
    const widest = visible
      .map((at, n) => ({ n, now: widths[n] ?? 0, least: text[at] ?? Number.POSITIVE_INFINITY }))
      .filter(({ now, least }) => now > least)
      .sort((a, b) => b.now - a.now)[0]
    if (widest === undefined) break
    widths[widest.n] = widest.now - 1
  }
  return widths
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, 0) + GAP * Math.max(0, widths.length - 1)

const cutTo = (cell: string, width: number): string =>
  cell.length > width ? `${cell.slice(0, Math.max(0, width - 1))}…` : cell
