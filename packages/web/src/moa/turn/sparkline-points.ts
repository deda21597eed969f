/** The points of a line through values, oldest first, with a gap for each missing value. */
interface Spark {
  /** The `d` attribute of a path. */
  readonly line: string
  /** The positions of failed calls. */
  readonly gaps: readonly number[]
  /** The position of the marked value. */
  readonly mark: { readonly x: number; readonly y: number } | null
}

interface SparkBox {
  readonly width: number
  readonly height: number
  readonly pad: number
}

/**
 * Draws a line through values into a box. `marked` is the value to mark; the newest equal one gets the mark.
 */
export function buildSpark(
  values: readonly (number | null)[],
  { width, height, pad }: SparkBox,
  marked: number | null,
): Spark {
  const most = values.reduce<number>((sofar, value) => Math.max(sofar, value ?? 0), 1)
  const step = values.length > 1 ? (width - 2 * pad) / (values.length - 1) : 0
  const toX = (i: number) => round(pad + (values.length > 1 ? i * step : width - 2 * pad))
  const toY = (value: number) => round(height - pad - (value / most) * (height - 2 * pad))
  let line = ''
  let isOpen = false
  const gaps: number[] = []
  values.forEach((value, i) => {
    if (value === null) {
      isOpen = false
      gaps.push(toX(i))
      return
    }
    line += `${isOpen ? 'L' : 'M'}${toX(i)} ${toY(value)}`
    isOpen = true
  })
  const at = marked === null ? -1 : values.lastIndexOf(marked)
  const value = values[at]
  return { line, gaps, mark: value == null ? null : { x: toX(at), y: toY(value) } }
}

const round = (value: number): number => Math.round(value * 10) / 10
