/** How columns become narrower where a terminal is. */
interface Fitting {
  /** The width of the terminal; nothing where there is none, and nothing is cut. */
  readonly width: number | undefined
  readonly indent: number
  /** Columns of free text with the least that is kept of each: the widest of them is cut first. */
  readonly text: Readonly<Record<number, number>>
  /** Columns that go, one after the other, where cutting is not enough. */
  readonly drop: readonly number[]
}

const GAP = 2

/** The rows with cells cut, and columns left out, until they fit. */
export function fit(
  rows: readonly (readonly string[])[],
  { width, indent, text, drop }: Fitting,
): readonly (readonly string[])[] {
  if (width === undefined) return rows
  let kept = rows[0]?.map((_, at) => at) ?? []
  for (const next of [...drop, undefined]) {
    const widths = narrowed(rows, kept, text, width - indent)
    if (next === undefined || total(widths) <= width - indent)
      return rows.map((row) => kept.map((at, n) => cutTo(row[at] ?? '', widths[n] ?? 0)))
    kept = kept.filter((at) => at !== next)
  }
  return rows
}

/** The widths of the kept columns, those of text brought down together until all fit or none can be less. */
function narrowed(
  rows: readonly (readonly string[])[],
  kept: readonly number[],
  text: Fitting['text'],
  room: number,
): readonly number[] {
  const widths = kept.map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)))
  for (let over = total(widths) - room; over > 0; over--) {
    const widest = kept
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
