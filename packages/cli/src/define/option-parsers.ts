import { check, MOST_LISTED, timestampInput } from '@panoptes/schema'
import { InvalidArgumentError } from 'commander'

/** Parses a port. 0 means any free port. */
export function parsePort(text: string): number {
  const value = parseWhole(text)
  if (value > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.')
  return value
}

export function parseWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Parses a row limit. */
export const parseRows = (text: string): number => parseWithin(1, MOST_LISTED)(text)

/** Parses a whole number within bounds. */
export const parseWithin =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

const MICRO = 1_000_000

/** Parses dollars into whole micro-dollars. */
export function parseDollars(text: string): number {
  if (!/^\$?\d{1,9}(\.\d{1,6})?$/.test(text))
    throw new InvalidArgumentError('It must be an amount in dollars such as 0.50.')
  return Math.round(Number(text.replace('$', '')) * MICRO)
}

/** Parses a speed factor, or `max`. */
export function parseSpeed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('It must be over 0, or max.')
  return value
}

const DAY_MS = 86_400_000
const DAYS = /^(\d{1,4})d$/
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

/** Parses a time in the local time zone: a date means local midnight, and `7d` means seven days ago. */
export function parseLocalMoment(text: string): number {
  const days = DAYS.exec(text)
  if (days) return Date.now() - Number(days[1]) * DAY_MS
  const date = DATE.exec(text)
  // An impossible date is rejected instead of moved to the next month.
  if (date === null || Number.isNaN(parseMoment(text))) return parseMoment(text)
  return new Date(Number(date[1]), Number(date[2]) - 1, Number(date[3])).getTime()
}

/** Parses milliseconds since 1970 or an ISO 8601 date or time. Without a zone it is UTC. */
export function parseMoment(text: string): number {
  const checked = check(timestampInput, /^\d{5,16}$/.test(text) ? Number(text) : text)
  if (checked.ok) return checked.value
  throw new InvalidArgumentError(
    'It must be a date such as 2026-09-15 or 2026-09-15T08:30:00Z, or milliseconds.',
  )
}

/** Collects all values of an option that may be repeated. */
export const collectValues = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
]
