/** Clocks are set forward and back at quarters of an hour only. */
const QUARTER_MS = 900_000
const MOST_KNOWN = 10_000

/** The day of a moment by the clock of a zone, such as `2026-11-16`. */
export function daysOf(zone: string): (ts: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const known = new Map<number, string>()
  return (ts) => {
    const quarter = Math.floor(ts / QUARTER_MS)
    const found = known.get(quarter)
    if (found !== undefined) return found
    if (known.size >= MOST_KNOWN) known.clear()
    const day = format.format(quarter * QUARTER_MS)
    known.set(quarter, day)
    return day
  }
}
