/**
 * The dimension of a number. Durations are in milliseconds, money in micro-dollars, anything else
 * as written.
 */
export type Kind = 'plain' | 'duration' | 'money' | 'percent'

/** A number in a text. */
export interface Figure {
  readonly kind: Kind
  readonly value: number
  /** The written number, whatever its unit. */
  readonly face: number
  /** The precision of `value`; null if it is exact. */
  readonly step: number | null
  /** The precision of `face`. */
  readonly faceStep: number | null
  /** True if it has a unit. */
  readonly hasUnit: boolean
  /** True if neither a unit nor a word follows. */
  readonly isLone: boolean
  readonly at: number
  readonly end: number
}

const MS: ReadonlyMap<string, number> = new Map([
  ['ns', 0.000001],
  ...['us', 'µs', 'μs'].map((unit) => [unit, 0.001] as const),
  ...['ms', 'msec', 'millisecond', 'milliseconds', 'millis'].map((unit) => [unit, 1] as const),
  ...['s', 'sec', 'secs', 'second', 'seconds'].map((unit) => [unit, 1_000] as const),
  ...['m', 'min', 'mins', 'minute', 'minutes'].map((unit) => [unit, 60_000] as const),
  ...['h', 'hr', 'hrs', 'hour', 'hours'].map((unit) => [unit, 3_600_000] as const),
  ...['d', 'day', 'days'].map((unit) => [unit, 86_400_000] as const),
])
const MICRO = 1_000_000
/** The names of money units in field names. */
const MONEY: ReadonlyMap<string, number> = new Map([
  ['usd', MICRO],
  ['dollars', MICRO],
  ['cents', MICRO / 100],
])
const SCALES: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['K', 1e3],
  ['M', 1e6],
  ['B', 1e9],
])

/** A number and what may be its unit, without unbounded repetition. */
const NUMBER =
  /([$]|US\$)? ?(\d{1,3}(?:[,_’'\u00a0\u202f]\d{3}){1,6}(?!\d)|\d{1,15})(\.\d{1,9})?(?:[eE]([+-]?\d{1,2})\b)?(?:([kKMB])\b|(?: ?- ?| )?(us|µs|μs|ms|msecs?|milliseconds?|millis|secs?|seconds?|s|mins?|minutes?|hrs?|hours?|h|days?)\b|([mdhs])(?=\d|\b)|( ?%| percent\b)| ?(USD|dollars?)\b)?/g
const LETTER = /\p{L}/u
/** Scripts that put no space between a word and a number. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const SEPARATORS = /[,_’'\u00a0\u202f]/g
/** Joins the parts of one duration: `1h 30m`, `1 min, 20 s`, `2 hours and 10 minutes`. */
const JOINED = /^(?:,? (?:and )?|)$/

/** Yields the numbers of a text in order, except versions, names and dates. */
export function* figuresIn(text: string): Generator<Figure> {
  const numbers = new RegExp(NUMBER)
  let held: Figure | undefined
  for (let match = numbers.exec(text); match; match = numbers.exec(text)) {
    const next = parseFigure(text, match)
    if (next === undefined) continue
    if (held !== undefined && isPart(held, next, text)) {
      held = { ...held, value: held.value + next.value, step: next.step, end: next.end }
      continue
    }
    if (held !== undefined) yield held
    held = next
  }
  if (held !== undefined) yield held
}

const isPart = (held: Figure, next: Figure, text: string): boolean =>
  held.kind === 'duration' &&
  next.kind === 'duration' &&
  next.at - held.end <= 6 &&
  (next.step ?? 0) < (held.step ?? 0) &&
  JOINED.test(text.slice(held.end, next.at))

function parseFigure(text: string, match: RegExpExecArray): Figure | undefined {
  const [all, dollar, whole = '', part = '', power, scale, unit, letter, percent, dollars] = match
  const at = match.index + all.indexOf(whole, (dollar ?? '').length)
  const end = match.index + all.length
  if (dollar === undefined && isAttached(text, at)) return undefined
  if (isVersion(text, end, part)) return undefined
  if (/^0\d/.test(whole)) return undefined
  const face = Number(whole.replace(SEPARATORS, '') + part) * 10 ** Number(power ?? 0)
  const decimals = part === '' ? 0 : part.length - 1
  const faceStep = decimals === 0 ? null : 10 ** -decimals
  const grain = 10 ** -decimals
  const of = (kind: Kind, by: number, step: number | null): Figure => {
    const value = Math.round(face * by * 1e6) / 1e6
    const hasUnit = kind !== 'plain' || by !== 1
    return {
      kind,
      value,
      face,
      step,
      faceStep,
      hasUnit,
      isLone: !hasUnit && !isBeforeWord(text, end),
      at,
      end,
    }
  }
  const field = all.length - whole.length - part.length <= 1 ? unitBefore(text, at) : ''
  const ms = MS.get(unit ?? letter ?? field)
  const micro = MONEY.get(field)
  if (micro !== undefined) return of('money', micro, faceStep && micro * faceStep)
  if (ms !== undefined) return of('duration', ms, ms * grain)
  const times = scale === undefined ? 1 : (SCALES.get(scale) ?? 1)
  if (dollar !== undefined || dollars !== undefined)
    return of('money', times * MICRO, times === 1 ? faceStep && MICRO * faceStep : times * grain * MICRO)
  if (percent !== undefined) return of('percent', 1, grain)
  return of('plain', times, times === 1 ? faceStep : times * grain)
}

/**
 * A digit after a letter or a dot is part of a name; one after a colon or in a date is part of a
 * time.
 */
function isAttached(text: string, at: number): boolean {
  const before = text[at - 1]
  if (before === undefined) return false
  const code = before.charCodeAt(0)
  if ((code >= 48 && code <= 57) || before === '.') return true
  if (code === 32 || code === 10) return false
  if (before === '_' || LETTER.test(before)) return !UNSPACED.test(before) && !isAfterUnit(text, at)
  if (before === ':') return /\d/.test(text[at - 2] ?? '')
  if (before === '/') return /[^\d\s]/.test(text[at - 2] ?? '/')
  return before === '-' && /\d{4}-(?:\d\d-)?$/.test(text.slice(Math.max(0, at - 8), at))
}

const isBeforeWord = (text: string, end: number): boolean =>
  text[end] === ' ' && LETTER.test(text[end + 1] ?? '')

/** True if a number directly follows a unit, as in `1h30m` and `0m5.1s`. */
const isAfterUnit = (text: string, at: number): boolean =>
  /[hmd]/.test(text[at - 1] ?? '') && /\d/.test(text[at - 2] ?? '')

/** Reads a unit from a field name: `"duration_ms": 3200`. */
function unitBefore(text: string, at: number): string {
  if (!/[:= ]/.test(text[at - 1] ?? '')) return ''
  return FIELD.exec(text.slice(Math.max(0, at - 16), at))?.[1]?.toLowerCase() ?? ''
}
const FIELD =
  /(?:_|(?<=[a-z])(?=M))(ns|us|ms|s|secs?|seconds|mins?|minutes|h|hours|usd|dollars|cents|Ms|Millis)["']?[:=] ?$/

/** True for a part of a version, date or time, such as `1.2.3`, `2026-11-16` and `10:30`. */
function isVersion(text: string, end: number, part: string): boolean {
  const [next, after] = [text[end] ?? '', text[end + 1] ?? '']
  if (next === '.' && part !== '' && /\d/.test(after)) return true
  if (next === ':' && /\d/.test(after)) return true
  return next === '-' && /^-\d\d-\d/.test(text.slice(end, end + 5))
}
