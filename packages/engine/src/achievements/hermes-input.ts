import { hash } from 'node:crypto'
import type { CountedRow } from '@panoptes/engine/sources'
import { parseJson } from '@panoptes/schema/json'
import { isPlainObject } from '@panoptes/schema/plain-object'
import type { MetricMessage } from './contribution.ts'
import { MOST_SKIPPED_IN_ONE } from './skips.ts'

interface Skipped {
  readonly row: string
  readonly reason: string
}

/**
 * In characters. Beyond this, rows are identified by hash, so that a long session does not stay in
 * memory.
 */
const MOST_HELD = 4_194_304

/** Rows of Hermes as the metrics see them, in order. */
export class HermesMessages {
  /** The first rows that could not be read. */
  readonly skipped: Skipped[] = []
  readonly #times = new Map<unknown, Seen[]>()
  #held = 0

  /** Converts a row; undefined for a repeated or unreadable one. */
  toNewMessage(row: CountedRow): MetricMessage | undefined {
    return this.#wasThere(row) ? undefined : this.toMessage(row)
  }

  /** Converts a row that cannot be a repetition. */
  toMessage(row: CountedRow): MetricMessage | undefined {
    const [id, role, content, , , calls, toolName] = row
    try {
      return parseMessage(role, content, calls, toolName)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      if (this.skipped.length < MOST_SKIPPED_IN_ONE)
        this.skipped.push({ row: String(id), reason: error.message })
      return undefined
    }
  }

  /** Compaction copies a message into every generation; the copies differ only in their id. */
  #wasThere(row: CountedRow): boolean {
    const [, , content, time, , calls] = row
    this.#held += textLength(content) + textLength(calls)
    const seen = this.#held > MOST_HELD ? rowHash(row) : row
    const same = this.#times.get(time)
    if (same === undefined) {
      this.#times.set(time, [seen])
      return false
    }
    if (same.some((other) => isSame(other, row))) return true
    same.push(seen)
    return false
  }
}

type Seen = CountedRow | string

const isSame = (seen: Seen, row: CountedRow): boolean =>
  typeof seen === 'string'
    ? seen === rowHash(row)
    : seen.every((value, at) => at === 0 || isEqual(value, row[at]))

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other ||
  (one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0)

const rowHash = (row: CountedRow): string =>
  hash(
    'sha256',
    JSON.stringify(row.slice(1), (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  )

const textLength = (value: unknown): number => (typeof value === 'string' ? value.length : 0)

class Malformed extends Error {}

function parseMessage(role: unknown, content: unknown, calls: unknown, toolName: unknown): MetricMessage {
  const named = parseName(toolName, 'its tool')
  const called = parseCalls(calls)
  const isResult = role === 'tool'
  return {
    text: parseText(content),
    calls: named !== undefined && !isResult ? [named, ...called.names] : called.names,
    result: named,
    callsText: called.text,
  }
}

function parseName(value: unknown, what: string): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new Malformed(`the name of ${what} is not text`)
  return value
}

const STRUCTURED = '\u0000json:'

function parseText(content: unknown): string {
  if (content === null) return ''
  if (typeof content === 'bigint') throw new Malformed('its text is too long to read')
  if (typeof content !== 'string') throw new Malformed('its text is not a string')
  if (!content.startsWith(STRUCTURED)) return content
  const json = content.slice(STRUCTURED.length)
  const written = pythonJson(json)
  if (written === undefined) return content
  const value = parsePython(json)
  return typeof value === 'string' ? value : written
}

interface Called {
  readonly names: readonly string[]
  readonly text: string | undefined
}

const NO_CALLS: Called = { names: [], text: undefined }
/** Text that Python would write differently: non-ASCII characters and unnecessary escapes. */
const NOT_PLAIN = /[\u007f-\uffff]|\\\/|\\u00[2-7]/

function parseCalls(calls: unknown): Called {
  if (calls === null || calls === '') return NO_CALLS
  if (typeof calls === 'bigint') throw new Malformed('its calls are too long to read')
  if (typeof calls !== 'string') throw new Malformed('its calls are not a string')
  let list: unknown
  try {
    list = parsePython(calls)
  } catch {
    return NO_CALLS
  }
  const text = NOT_PLAIN.test(calls) ? pythonJson(calls) : calls
  return { names: Array.isArray(list) ? list.flatMap(calledName) : [], text }
}

function calledName(call: unknown): readonly string[] {
  if (!isPlainObject(call)) return []
  const { name, function: named } = call as { readonly name?: unknown; readonly function?: unknown }
  const own = parseName(name, 'a call')
  if (own !== undefined) return [own]
  if (named === null || named === undefined || named === '') return []
  if (typeof named !== 'object') throw new Malformed('a call has no function')
  const inner = parseName((named as { readonly name?: unknown }).name, 'a call')
  return inner === undefined ? [] : [inner]
}

/**
 * Parses JSON as Python does, and throws if it is invalid. Python accepts three number words that
 * JSON does not have.
 */
function parsePython(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error
    return parseJson(withoutOddNumbers(text))
  }
}

const ODD_NUMBER = /-?Infinity|NaN/g

/**
 * Leaves strings unchanged. They are skipped one by one, so that an unterminated one costs only its
 * length.
 */
function withoutOddNumbers(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const start = quote < 0 ? text.length : quote
    parts.push(text.slice(at, start).replace(ODD_NUMBER, 'null'))
    at = quote < 0 ? start : endOfString(text, start)
    parts.push(text.slice(start, at))
  }
  return parts.join('')
}

/**
 * Formats JSON as Python does after parsing it: a space after `,` and `:`, only ASCII, floats with
 * a decimal point. Undefined if the text is not JSON.
 */
export function pythonJson(text: string): string | undefined {
  try {
    parsePython(text)
  } catch {
    return undefined
  }
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = endOfString(text, at)
      parts.push(ascii(text.slice(at, end)))
      at = end
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const end = endOfNumber(text, at)
      parts.push(number(text.slice(at, end)))
      at = end
    } else {
      if (char === ',' || char === ':') parts.push(`${char} `)
      else if (char > ' ') parts.push(char)
      at += 1
    }
  }
  return parts.join('')
}

function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

const NUMBER = /[\d.eE+-]*/y

function endOfNumber(text: string, from: number): number {
  NUMBER.lastIndex = from
  NUMBER.exec(text)
  return NUMBER.lastIndex
}

const PLAIN_STRING = /^"[ !#-[\]-~]*"$/
const NOT_ASCII = /[\u007f-\uffff]/g

function ascii(literal: string): string {
  if (PLAIN_STRING.test(literal)) return literal
  return JSON.stringify(JSON.parse(literal)).replace(
    NOT_ASCII,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function number(literal: string): string {
  if (!/[.eE]/.test(literal)) return literal === '-0' ? '0' : literal
  return pythonFloat(Number(literal))
}

/** Both languages use the shortest digits, but switch to an exponent at different sizes. */
function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [digits = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 16) {
    // JavaScript switches to exponents later than Python in both directions.
    const fixed = String(value)
    return fixed.includes('.') ? fixed : `${fixed}.0`
  }
  const sign = exponent < 0 ? '-' : '+'
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}
