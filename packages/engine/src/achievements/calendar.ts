import { failure, type Result, success } from '@panoptes/schema/result'

/** Local calendar facts about a moment. */
export interface Calendar {
  readonly zone: string
  readonly isWeekend: (ms: number) => boolean
  /** Before 6 am, or from 11 pm on. */
  readonly isNight: (ms: number) => boolean
}

const SATURDAY_AND_SUNDAY = new Set(['Sat', 'Sun'])
const SECOND_MS = 1_000
const QUARTER_MS = 900_000
/**
 * From here on every named zone has an offset in whole quarters of an hour, so each quarter has one
 * hour and one day.
 */
const QUARTERS_SINCE = Date.UTC(1973, 0)
/** An explicit offset may have any minutes. */
const ODD_OFFSET = /^[+-]\d\d:?(?!00|15|30|45)\d\d$/

export function createCalendar(zone: string): Result<Calendar> {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: 'numeric',
      hourCycle: 'h23',
    })
  } catch {
    return failure('invalid', `Unknown time zone: ${zone}. Use one like Europe/Berlin or UTC.`)
  }
  const cache = new Map<string, { readonly weekend: boolean; readonly night: boolean }>()
  const isOdd = ODD_OFFSET.test(zone)
  const at = (ms: number) => {
    const isWhole = !isOdd && ms >= QUARTERS_SINCE
    const key = isWhole ? `q${Math.floor(ms / QUARTER_MS)}` : `s${Math.floor(ms / SECOND_MS)}`
    const found = cache.get(key)
    if (found) return found
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
    const hour = Number(parts.get('hour'))
    const flags = {
      weekend: SATURDAY_AND_SUNDAY.has(parts.get('weekday') ?? ''),
      night: hour < 6 || hour >= 23,
    }
    cache.set(key, flags)
    return flags
  }
  return success({ zone, isWeekend: (ms) => at(ms).weekend, isNight: (ms) => at(ms).night })
}

/** The canonical name under which a zone is stored. */
export const zoneName = (zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone

/** The time zone of this computer. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
