import { z } from 'zod'

/** The last moment a JavaScript date can represent, in milliseconds. */
const LAST_MOMENT = 8_640_000_000_000_000

export const timestamp = z
  .int('must be whole milliseconds since 1970')
  .min(0, 'must not be before 1970')
  .max(LAST_MOMENT, 'is later than any date')

const NO_TIME = 'must be milliseconds since 1970 or an ISO 8601 time'

/** A date with an optional time of day, optional seconds and an optional zone (UTC by default). */
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/

/** Parses ISO 8601 text to milliseconds; undefined for a day or an hour that does not exist. */
function parseIsoTime(text: string): number | undefined {
  const found = ISO.exec(text)
  if (!found) return undefined
  const part = (index: number) => Number(found[index] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const ms = Number((found[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, ms)
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour
  const ahead = minutesAhead(found[8])
  if (!exists || minute > 59 || second > 59 || ahead === undefined) return undefined
  return date.getTime() - ahead * 60_000
}

function minutesAhead(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const isoTimestamp = z
  .string(NO_TIME)
  .regex(ISO, NO_TIME)
  .transform((text, problem) => {
    const moment = parseIsoTime(text)
    if (moment !== undefined) return moment
    problem.addIssue({ code: 'custom', message: NO_TIME })
    return z.NEVER
  })
  .pipe(timestamp)

/** Milliseconds or ISO 8601; a time without a zone is UTC. */
export const timestampInput = z.union([timestamp, isoTimestamp], { error: NO_TIME })

/** Accepts the same in a query string, where milliseconds are digits. */
export const timestampQuery = z.union([z.coerce.number(NO_TIME).pipe(timestamp), timestampInput], {
  error: NO_TIME,
})

/** A time zone by name, such as `Europe/Berlin`. */
export const timeZone = z
  .string('must be a time zone')
  .refine(isZone, 'must be a time zone like Europe/Berlin or UTC')

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
