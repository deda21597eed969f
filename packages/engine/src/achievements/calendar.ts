import { failure, type Result, success } from '@panoptes/schema/result'

/** When something was, by the clock on a wall. */
export interface Calendar {
  readonly zone: string
  readonly isWeekend: (ms: number) => boolean
  /** Before six, or from eleven in the evening on. */
  readonly isNight: (ms: number) => boolean
}

const SATURDAY_AND_SUNDAY = new Set(['Sat', 'Sun'])
const SECOND_MS = 1_000
const QUARTER_MS = 900_000
/** From here on the clocks of all places that have a name are whole quarters of an hour from UTC, so a quarter has one hour and one day. */
const QUARTERS_SINCE = Date.UTC(1973, 0)
/** An offset that somebody wrote out may be of any minute. */
const ODD_OFFSET = /^[+-]\d\d:?(?!00|15|30|45)\d\d$/

export function calendarOf(zone: string): Result<Calendar> {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: 'numeric',
      hourCycle: 'h23',
    })
  } catch {
    return failure('invalid', `There is no time zone ${zone}. Give one like Europe/Berlin or UTC.`)
  }
  const known = new Map<string, { readonly weekend: boolean; readonly night: boolean }>()
  const isOdd = ODD_OFFSET.test(zone)
  const at = (ms: number) => {
    const isWhole = !isOdd && ms >= QUARTERS_SINCE
    const key = isWhole ? `q${Math.floor(ms / QUARTER_MS)}` : `s${Math.floor(ms / SECOND_MS)}`
    const found = known.get(key)
    if (found) return found
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
    const hour = Number(parts.get('hour'))
    const told = {
      weekend: SATURDAY_AND_SUNDAY.has(parts.get('weekday') ?? ''),
      night: hour < 6 || hour >= 23,
    }
    known.set(key, told)
    return told
  }
  return success({ zone, isWeekend: (ms) => at(ms).weekend, isNight: (ms) => at(ms).night })
}

/** The one name under which a zone is kept, however it is written. */
export const zoneName = (zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone

/** The zone of this computer. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
