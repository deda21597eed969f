/** Rows are counted by days of 24 hours, so that no clock changes what was counted. */
export const DAY_MS = 86_400_000
/** The day of a sum over all days. */
export const ALL_DAYS = -1

export const dayNumber = (ts: number): number => Math.floor(ts / DAY_MS)

const two = (value: number): string => String(value).padStart(2, '0')

/** The day of a moment by the clock of this computer. */
export function localDay(ts: number): string {
  const date = new Date(ts)
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The first day that begins at a moment or after it. */
export function firstDayFrom(ts: number): string {
  const date = new Date(ts)
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate())
  if (midnight.getTime() >= ts) return localDay(ts)
  return localDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 12).getTime())
}
