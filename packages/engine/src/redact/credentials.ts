import { nextLine, startsWord } from './boundary.ts'
import { alnum, base64, characterSet, has, hexAnyCase, runEnd, slug } from './characters.ts'
import { closedAt, isClosing, openedAt } from './quotes.ts'
import type { Found, Shape } from './shape.ts'
import { looksSecret } from './value.ts'
import { bareUntil } from './value-after-name.ts'

/** The next line may begin with its number or with a diff sign. */
const BLANKS = String.raw`(?:[ \t\r]|\\+[rt]|(?:\n|\\+n)(?:[ \t]{0,8}\d{1,6}(?:\u2192|\t|\\+t)|[+-])?){1,16}`
const NETRC = new RegExp(
  String.raw`(?:machine${BLANKS}[^\s\\,;]{1,128}|default)${BLANKS}(?:(?:login|account)${BLANKS}[^\s\\,;]{1,128}${BLANKS}){0,2}password${BLANKS}`,
  'iy',
)
const ENDS_BLANK = /[\s"'`]/

/** Matches a netrc entry `machine host login me password …`, on one line or on several. */
const netrc: readonly Shape[] = ['machine', 'default'].map((literal) => ({
  literal,
  look: (text, start, end) => {
    NETRC.lastIndex = start
    if (!startsWord(text, start, slug) || !NETRC.test(text)) return end
    const from = NETRC.lastIndex
    let stop = from
    while (stop < text.length && text[stop] !== '\\' && !ENDS_BLANK.test(text[stop] as string)) stop += 1
    return stop > from && text[from] !== '[' ? { label: 'password', start: from, end: stop } : stop
  },
}))

/**
 * A count (`PASS=12`, `pass=98.5%`) or a word (`pass=second`) is a result, unless the name is written as a
 * variable.
 */
const isResult = (value: string, name: string): boolean =>
  /^[\d.,/%]*$/.test(value) || (name !== 'PASS=' && /^[A-Za-z _-]*$/.test(value))

/** The first characters are enough to judge a value. A secret is then replaced as a whole. */
const JUDGED = 64

/** On its own, `pass` in `PASS=…` is just as often a number of tests, a word or a result. */
const pass: readonly Shape[] = [
  'pass=',
  'pass"',
  "pass'",
  '-pass pass:',
  '-passin pass:',
  '-passout pass:',
].map((literal) => ({
  literal,
  look: (text, start, end): Found => {
    if (!startsWord(text, start, slug)) return end
    const quoted = literal.endsWith('=') || literal.endsWith(':') ? end : valueStart(text, end)
    if (quoted === undefined) return end
    const opened = openedAt(text, quoted)
    if (opened === undefined && quoted !== end) return end
    if (opened !== undefined && isClosing(text, opened)) return end
    const from = opened?.start ?? end
    const limit = from + JUDGED
    const judged = opened === undefined ? bareUntil(text, from, limit) : closedAt(text, opened, limit)
    const value = text.slice(from, judged)
    const secret =
      !isResult(value, text.slice(start, end)) &&
      looksSecret(value, opened === undefined ? 'tight' : 'quoted', 'password')
    if (!secret) return end
    const stop = opened === undefined ? bareUntil(text, judged) : closedAt(text, opened)
    return { label: 'password', start: from, end: stop }
  },
}))

const COLON = /(?:[ \t]=>|[:=])[ \t]{0,8}/y

function valueStart(text: string, at: number): number | undefined {
  COLON.lastIndex = at
  return COLON.test(text) ? COLON.lastIndex : undefined
}

const LEAST_SIGNATURE = 27
const signature = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/%')
const padding = characterSet('=')

/** `…&sig=…` of a shared access signature, `Signature=…` of a signed request. */
const signatures: readonly Shape[] = ['sig=', 'signature='].map((literal) => ({
  literal,
  look: (text, start, end) => {
    if (!startsWord(text, start, slug)) return end
    const from = openedAt(text, end)?.start ?? end
    const stop = runEnd(padding, text, runEnd(signature, text, from))
    const value = text.slice(from, Math.min(stop, from + 128))
    const random = /[0-9]/.test(value) && /[A-Za-z]/.test(value)
    return stop - from >= LEAST_SIGNATURE && random ? { label: 'signature', start: from, end: stop } : end
  },
}))

/** `response="…"` of HTTP digest authentication. */
const digest: Shape = {
  literal: 'response=',
  look: (text, start, end) => {
    if (!startsWord(text, start, slug)) return end
    const from = openedAt(text, end)?.start ?? end
    const stop = runEnd(hexAnyCase, text, from, from + 129)
    const isHash = [32, 64, 128].includes(stop - from) && !has(alnum, text, stop)
    return isHash ? { label: 'authorization', start: from, end: stop } : end
  },
}

const PGPASS = /:(?:5432|\*):[^\s:\\"'`]{1,63}:[^\s:\\"'`]{1,63}:((?:\\[:\\]|[^\s:\\"'`<]){1,256})/y

/** `host:5432:database:user:password` of PostgreSQL's password file. */
const pgpass: readonly Shape[] = [':5432:', ':*:'].map((literal) => ({
  literal,
  look: (text, start, end) => {
    PGPASS.lastIndex = start
    const password = PGPASS.exec(text)?.[1]
    if (password === undefined || !looksSecret(password, 'tight', 'password')) return end
    return { label: 'password', start: PGPASS.lastIndex - password.length, end: PGPASS.lastIndex }
  },
}))

const decoded = (value: string): string => Buffer.from(value, 'base64').toString('latin1')

const AUTH_VALUE = /\\{0,8}"[ \t]{0,8}:[ \t]{0,8}\\{0,8}"([A-Za-z0-9+/]{8,1024}={0,2})\\{0,8}"/y

/** `"auth": "…"` in the settings of container tools: a name and a password in base64. */
const registryAuth: Shape = {
  literal: 'auth"',
  look: (text, start, end) => {
    AUTH_VALUE.lastIndex = end - 1
    const value = startsWord(text, start, slug) ? AUTH_VALUE.exec(text)?.[1] : undefined
    if (value === undefined || !/^[\x20-\x7e]+:[\x20-\x7e]+$/.test(decoded(value))) return end
    const from = text.indexOf(value, end)
    return { label: 'authorization', start: from, end: from + value.length }
  },
}

const PRIVATE_LINES = /private-lines: \d{1,3}/iy

/** The private part of a PuTTY key: up to as many lines of base64 as it announces. */
const puttyKey: Shape = {
  literal: 'private-lines: ',
  look: (text, start, end) => {
    PRIVATE_LINES.lastIndex = start
    if (!PRIVATE_LINES.test(text)) return end
    const first = nextLine(text, PRIVATE_LINES.lastIndex)
    if (first === undefined) return end
    let stop = runEnd(padding, text, runEnd(base64, text, first))
    for (let next = nextLine(text, stop); next !== undefined; next = nextLine(text, stop)) {
      const lineEnd = runEnd(padding, text, runEnd(base64, text, next))
      if (lineEnd === next || text[lineEnd] === '-') break
      stop = lineEnd
    }
    return stop > first ? { label: 'private-key', start: first, end: stop } : end
  },
}

export const credentialShapes: readonly Shape[] = [
  ...netrc,
  ...pass,
  ...signatures,
  digest,
  ...pgpass,
  registryAuth,
  puttyKey,
]
