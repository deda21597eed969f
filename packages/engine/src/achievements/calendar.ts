import { failure, type Result, success } from '@panoptes/schema/result'

/** When something was, by the clock on a wall. */
export interface Calendar {
  readonly zone: string
  readonly isWeekend: (ms: number) => boolean
  /** Before six, or from eleven in the evening on. */
  readonly isNight: (ms: number) => boolean
}

const SATURDAY_AND_SUNDAY = new Set(['Sat', 'Sun'])
const HOUR_MS = 3_600_000
/** No zone is further from UTC by less than a quarter of an hour, so a quarter has one hour and one day. */
const QUARTER_MS = HOUR_MS / 4

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
  const known = new Map<number, { readonly weekend: boolean; readonly night: boolean }>()
  const at = (ms: number) => {
    const quarter = Math.floor(ms / QUARTER_MS)
    const found = known.get(quarter)
    if (found) return found
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
    const hour = Number(parts.get('hour'))
    const told = {
      weekend: SATURDAY_AND_SUNDAY.has(parts.get('weekday') ?? ''),
      night: hour < 6 || hour >= 23,
    }
    known.set(quarter, told)
    return told
  }
  return success({ zone, isWeekend: (ms) => at(ms).weekend, isNight: (ms) => at(ms).night })
}

/** The zone of this computer. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
