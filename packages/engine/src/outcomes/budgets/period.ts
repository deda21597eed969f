import type { Budget } from '@panoptes/schema'

/** A period of whole days in this computer's time zone. */
export interface Period {
  readonly since: number
  readonly until: number
  /** The first day: `2026-11-16`. */
  readonly first: string
}

/**
 * The current period of a budget. For a session budget it is the day whose sessions are examined.
 */
export function currentPeriod(per: Budget['per'], now: number): Period {
  const date = new Date(now)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  if (per === 'month') return from(new Date(year, month, 1), new Date(year, month + 1, 1))
  if (per !== 'week') return from(new Date(year, month, day), new Date(year, month, day + 1))
  // Weeks begin on Monday.
  const monday = day - ((date.getDay() + 6) % 7)
  return from(new Date(year, month, monday), new Date(year, month, monday + 7))
}

const from = (since: Date, until: Date): Period => ({
  since: since.getTime(),
  until: until.getTime(),
  first: dayText(since),
})

function dayText(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
