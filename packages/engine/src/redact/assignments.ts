import { blank, has, quote, runEnd, setOf, slug } from './characters.ts'
import type { Found, Shape } from './shape.ts'
import { looksSecret, type Setting, type Strength } from './value.ts'

const NAMES: readonly (readonly [literal: string, label: string, strength: Strength])[] = [
  ['password', 'password', 'password'],
  ['passwd', 'password', 'password'],
  ['passphrase', 'password', 'password'],
  ['pwd', 'password', 'password'],
  ['secret', 'secret', 'token'],
  ['token', 'token', 'token'],
  ['api_key', 'api-key', 'token'],
  ['api-key', 'api-key', 'token'],
  ['apikey', 'api-key', 'token'],
  ['access_key', 'api-key', 'token'],
  ['access-key', 'api-key', 'token'],
  ['accesskey', 'api-key', 'token'],
  ['private_key', 'secret', 'token'],
]

/** `secret_key` names a secret, `token_count` does not. */
const SUFFIX = /(?:[_-]?(?:access[_-]?)?key|[_-]value)?/iy
const MOST_BLANKS = 8
/** Enough of a value to judge it by; what is judged a secret goes whole. */
const JUDGED = 128

/** `password=…`, `"api_key": "…"`, `--token …`: only the value goes. */
export const assignmentShapes: readonly Shape[] = NAMES.map(([literal, label, strength]) => ({
  literal,
  look: (text, start, end) => {
    const value = valueAfter(text, start, end)
    if (!value) return end
    const secret = looksSecret(text.slice(value.start, value.end), value.setting, strength)
    return secret ? { label, start: value.start, end: wholeEnd(text, value) } : end
  },
}))

interface SecretField {
  readonly label: string
  readonly strength: Strength
}

const MOST_FIELDS = 1_000
const fields = new Map<string, SecretField | undefined>()

/** What the name of a field says of its value: `{"password": "…"}`. The same few names come again and again. */
export function secretField(name: string): SecretField | undefined {
  if (fields.has(name)) return fields.get(name)
  if (fields.size >= MOST_FIELDS) fields.clear()
  const field = judgeField(name)
  fields.set(name, field)
  return field
}

function judgeField(name: string): SecretField | undefined {
  const plain = name.slice(-64).toLowerCase()
  if (plain.endsWith('authorization')) return { label: 'authorization', strength: 'password' }
  for (const [literal, label, strength] of NAMES) {
    const at = plain.lastIndexOf(literal)
    if (at >= 0 && afterSuffix(plain, at + literal.length) === plain.length) return { label, strength }
  }
  return undefined
}

interface Value {
  readonly start: number
  readonly end: number
  readonly setting: Setting
}

function valueAfter(text: string, nameStart: number, nameEnd: number): Value | undefined {
  const name = afterSuffix(text, nameEnd)
  if (has(slug, text, name)) return undefined
  const closed = afterQuote(text, name)
  const gap = skipBlanks(text, closed)
  const separator = text[gap]
  if (separator !== '=' && separator !== ':') {
    return gap === name + 1 && isFlag(text, nameStart) ? bareValue(text, gap, 'loose') : undefined
  }
  const arrow = text[gap + 1] === '>' || (separator === ':' && text[gap + 1] === '=')
  if (text[gap + 1] === separator) return undefined
  const start = skipBlanks(text, gap + (arrow ? 2 : 1))
  const open = afterQuote(text, start)
  if (open > start) return quotedValue(text, open)
  return bareValue(text, start, start === name + 1 ? 'tight' : 'loose')
}

function afterSuffix(text: string, at: number): number {
  SUFFIX.lastIndex = at
  return SUFFIX.test(text) ? SUFFIX.lastIndex : at
}

/** Past one quote, escaped or not; JSON within JSON escapes it more than once. */
function afterQuote(text: string, at: number): number {
  let next = at
  while (text[next] === '\\' && next < at + MOST_BLANKS) next += 1
  return has(quote, text, next) ? next + 1 : at
}

const skipBlanks = (text: string, at: number) => runEnd(blank, text, at, at + MOST_BLANKS)

const isFlag = (text: string, nameStart: number): boolean => {
  let at = nameStart
  while (at > nameStart - 24 && has(slug, text, at - 1)) at -= 1
  return text.startsWith('--', at)
}

const quotedEnd = setOf('"\'`\\\r\n')
const bareEnd = setOf('"\'`\\;,&| \t\r\n')

const quotedValue = (text: string, start: number): Value => ({
  start,
  end: until(quotedEnd, text, start),
  setting: 'quoted',
})
const bareValue = (text: string, start: number, setting: Setting): Value => ({
  start,
  end: until(bareEnd, text, start),
  setting,
})

const wholeEnd = (text: string, value: Value): number =>
  until(value.setting === 'quoted' ? quotedEnd : bareEnd, text, value.end, text.length)

function until(stops: Uint8Array, text: string, from: number, limit = from + JUDGED): number {
  const stop = Math.min(text.length, limit)
  let at = from
  while (at < stop && !has(stops, text, at)) at += 1
  return at
}

const SCHEME = /(?:bearer|basic|token|apikey|negotiate|digest) {1,4}/iy

/** `Authorization: …` in a header, a command or JSON: the scheme stays, the rest goes. */
export const authorizationShape: Shape = {
  literal: 'authorization',
  look: (text, start, end) => {
    const value = valueAfter(text, start, end)
    if (!value) return end
    SCHEME.lastIndex = value.start
    const from = SCHEME.test(text) ? SCHEME.lastIndex : value.start
    return credential(text, from, from > value.start ? 6 : 8) ?? end
  },
}

export const bearerShape: Shape = {
  literal: 'bearer ',
  look: (text, start, end) => {
    if (has(slug, text, start - 1)) return end
    return credential(text, skipBlanks(text, end), 12) ?? end
  },
}

/** A field called `authorization` has its value whole. */
export function authorizationField(value: string): Found {
  SCHEME.lastIndex = 0
  const from = SCHEME.test(value) ? SCHEME.lastIndex : 0
  return credential(value, from, from > 0 ? 6 : 8) ?? value.length
}

function credential(text: string, start: number, least: number): Found | undefined {
  const end = until(bareEnd, text, start)
  const value = text.slice(start, end)
  if (value.length < least || !looksSecret(value, 'tight', 'password')) return undefined
  if (value.length < 20 && /^[A-Z]?[a-z]+$/.test(value)) return undefined
  return { label: 'authorization', start, end: until(bareEnd, text, end, text.length) }
}
