const locale = 'en-GB'

const grouped = new Intl.NumberFormat('en-US')
const oneDecimal = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const clockFormat = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const dayFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const dayOfYearFormat = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
const weekdayFormat = new Intl.DateTimeFormat(locale, { weekday: 'short' })

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Formats a count, such as 3,604. */
export const count = (value: number): string => grouped.format(value)

/** Formats 3,604 in full below ten thousand, then 412k, 1.2M. */
export function shortCount(value: number): string {
  if (value < 10_000) return count(value)
  if (value < 999_500) return `${Math.round(value / 1_000)}k`
  return `${oneDecimal.format(value / 1_000_000)}M`
}

/** Formats a rate with one decimal while it matters: 9.4, 0.3, 5,012. */
export const rate = (value: number): string =>
  value === 0 ? '0' : value < 100 ? oneDecimal.format(value) : count(Math.round(value))

/** Formats a duration: 84 ms, 4.2 s, 41 s, 3m 12s, 2h 05m, 3d 4h. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${ms < 10 && ms % 1 !== 0 ? oneDecimal.format(ms) : Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${oneDecimal.format(ms / SECOND).replace(/\.0$/, '')} s`
  const seconds = Math.round(ms / SECOND)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${twoDigits(seconds % 60)}s`
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3_600)}h ${twoDigits(Math.floor((seconds % 3_600) / 60))}m`
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3_600)}h`
}

/** Formats money: $1.84, $0.004 below a cent, $0.00 for nothing. */
export function money(usd: number): string {
  if (usd === 0) return '$0.00'
  if (usd >= 0.0095) return `$${usd >= 1_000 ? count(Math.round(usd)) : usd.toFixed(usd < 0.1 ? 3 : 2)}`
  return usd < 0.0005 ? '<$0.001' : `$${usd.toFixed(3)}`
}

/** Formats a size: 512 B, 88 KB, 92 MB, 1.4 GB. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let size = value
  let unit = 0
  while (size >= 1_023.5 && unit < units.length - 1) {
    size /= 1_024
    unit += 1
  }
  const figure =
    unit > 0 && size < 9.95 ? oneDecimal.format(size).replace(/\.0$/, '') : count(Math.round(size))
  return `${figure} ${units[unit]}`
}

/** Formats a time as 14:29:58 in the reader's time zone. */
export const clock = (ts: number): string => clockFormat.format(ts)

/** Formats a time as 14:29:58.271. */
export const fineClock = (ts: number): string =>
  `${clock(ts)}.${String(Math.floor(ts) % 1_000).padStart(3, '0')}`

/** Formats a full timestamp: 5 Nov 2026, 14:29:58.271. */
export const moment = (ts: number): string => `${dayOfYearFormat.format(ts)}, ${fineClock(ts)}`

/** Formats a day as 5 Nov, with the year if it is not the current one. */
export function day(ts: number, now: number): string {
  const sameYear = new Date(ts).getFullYear() === new Date(now).getFullYear()
  return (sameYear ? dayFormat : dayOfYearFormat).format(ts)
}

/** Formats an age as short as possible: 4 s, 2m 10s, 5h; null after that, because a date says more. */
export function age(ms: number): string | null {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / SECOND))} s`
  if (ms < 10 * MINUTE) return duration(ms)
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`
  if (ms < 12 * HOUR) return `${Math.round(ms / HOUR)} h`
  return null
}

export const weekday = (ts: number): string => weekdayFormat.format(ts)

export const daysBetween = (ts: number, now: number): number =>
  Math.round((startOfDay(now) - startOfDay(ts)) / DAY)

export const startOfDay = (ts: number): number => new Date(ts).setHours(0, 0, 0, 0)

/** 7 as 07. */
export const twoDigits = (value: number): string => String(value).padStart(2, '0')

export const plural = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`
