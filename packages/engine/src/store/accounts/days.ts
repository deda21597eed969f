/** Rows are counted by days of 24 hours, so that a change of the clock cannot change a count. */
export const DAY_MS = 86_400_000
/** The day number of the sum over all days. */
export const ALL_DAYS = -1

export const dayNumber = (ts: number): number => Math.floor(ts / DAY_MS)

const DAYS_A_BLOCK = 32
/**
 * Returns the number under which the sum of a whole block of days is stored. A long span then reads a few
 * blocks and the days at its ends.
 */
const blockDay = (block: number): number => ALL_DAYS - 1 - block

/** Returns the sums that a row contributes to. */
export const daysOfRow = (at: number | null): readonly number[] => {
  if (at === null) return [ALL_DAYS]
  const day = dayNumber(at)
  return [ALL_DAYS, day, blockDay(Math.floor(day / DAYS_A_BLOCK))]
}

/** Returns the sums that together cover the days from `first` up to, but not including, `end`. */
export function daysOfSpan(first: number, end: number): readonly (readonly [from: number, to: number])[] {
  const [block, after] = [Math.ceil(first / DAYS_A_BLOCK), Math.floor(end / DAYS_A_BLOCK)]
  if (after <= block) return [[first, end]]
  return [
    [first, block * DAYS_A_BLOCK],
    [blockDay(after - 1), blockDay(block) + 1],
    [after * DAYS_A_BLOCK, end],
  ]
}

const padTwo = (value: number): string => String(value).padStart(2, '0')

/** Returns the day of a time in this computer's time zone. */
export function localDay(ts: number): string {
  const date = new Date(ts)
  return `${String(date.getFullYear()).padStart(4, '0')}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`
}

/** Returns the first day that begins at or after a time. */
export function firstDayFrom(ts: number): string {
  const date = new Date(ts)
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate())
  if (midnight.getTime() >= ts) return localDay(ts)
  return localDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 12).getTime())
}
