/** Points of a line through values, oldest first; a gap where one is missing. */
export interface Spark {
  /** As the `d` of a path. */
  readonly line: string
  /** Where a call failed. */
  readonly gaps: readonly number[]
  /** The value that is marked. */
  readonly mark: { readonly x: number; readonly y: number } | null
}

export interface SparkBox {
  readonly width: number
  readonly height: number
  readonly pad: number
}

/** A line in a box. `marked` is the value to mark, the newest of its kind. */
export function sparkOf(
  values: readonly (number | null)[],
  { width, height, pad }: SparkBox,
  marked: number | null,
): Spark {
  const most = values.reduce<number>((sofar, value) => Math.max(sofar, value ?? 0), 1)
  const step = values.length > 1 ? (width - 2 * pad) / (values.length - 1) : 0
  const xOf = (i: number) => round(pad + (values.length > 1 ? i * step : width - 2 * pad))
  const yOf = (value: number) => round(height - pad - (value / most) * (height - 2 * pad))
  let line = ''
  let isOpen = false
  const gaps: number[] = []
  values.forEach((value, i) => {
    if (value === null) {
      isOpen = false
      gaps.push(xOf(i))
      return
    }
    line += `${isOpen ? 'L' : 'M'}${xOf(i)} ${yOf(value)}`
    isOpen = true
  })
  const at = marked === null ? -1 : values.lastIndexOf(marked)
  const value = values[at]
  return { line, gaps, mark: value == null ? null : { x: xOf(at), y: yOf(value) } }
}

const round = (value: number): number => Math.round(value * 10) / 10
