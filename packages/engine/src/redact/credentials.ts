import { nextLine, startsWord } from './boundary.ts'
import { alnum, base64, characterSet, has, hexAnyCase, runEnd, slug } from './characters.ts'
import { findClosingQuote, isClosing, parseOpeningQuote, skipQuote } from './quotes.ts'
import { endsPassPrefix } from './secret-names.ts'
import type { Secret, Shape } from './shape.ts'
import { looksSecret } from './value.ts'
import { bareUntil, skipBlanks, valueAfter } from './value-after-name.ts'

/** The next line may begin with its number or with a diff sign, and may be a comment. */
const BLANKS = String.raw`(?:[ \t\r]|\\+[rt]|(?:\n|\\+n)(?:[ \t]{0,8}\d{1,6}(?:\u2192|\t|\\+t)|[+-])?(?:[ \t]{0,8}#[^\n\\]{0,128}(?=\n|\\))?){1,16}`
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
    const opened = parseOpeningQuote(text, NETRC.lastIndex)
    if (opened !== undefined && isClosing(text, opened)) return end
    const from = opened?.start ?? NETRC.lastIndex
    let stop = opened === undefined ? from : findClosingQuote(text, opened)
    while (stop < text.length && text[stop] !== '\\' && !ENDS_BLANK.test(text[stop] as string)) stop += 1
    return stop > from && text[from] !== '[' ? { label: 'password', start: from, end: stop } : stop
  },
}))

/**
 * A count (`PASS=12`, `pass=98.5%`) or a word (`pass=second`) is a result, unless the name is written as a
 * variable.
 */
const isResult = (value: string, isVariable: boolean): boolean =>
  /^[\d.,/%]*$/.test(value) || (!isVariable && /^[A-Za-z _-]*$/.test(value))

/** The first characters are enough to judge a value. A secret is then replaced as a whole. */
const JUDGED = 64

/** Returns the password that starts at `at`, with or without quotes. */
function passwordAt(text: string, at: number, isVariable: boolean): Secret | undefined {
  const opened = parseOpeningQuote(text, at)
  if (opened !== undefined && isClosing(text, opened)) return undefined
  const start = opened?.start ?? at
  const limit = start + JUDGED
  const judged = opened === undefined ? bareUntil(text, start, limit) : findClosingQuote(text, opened, limit)
  const value = text.slice(start, judged)
  if (isResult(value, isVariable)) return undefined
  if (!looksSecret(value, opened === undefined ? 'tight' : 'quoted', 'password')) return undefined
  return {
    label: 'password',
    start,
    end: opened === undefined ? bareUntil(text, judged) : findClosingQuote(text, opened),
  }
}

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
  look: (text, start, end) => {
    const isLonger = endsPassPrefix(text, start)
    if (!isLonger && !startsWord(text, start, slug)) return end
    const from = literal.endsWith('=') || literal.endsWith(':') ? end : valueStart(text, end)
    if (from === undefined || (from !== end && parseOpeningQuote(text, from) === undefined)) return end
    return passwordAt(text, from, isLonger || text.startsWith('PASS=', start)) ?? end
  },
}))

/** `<pass>…</pass>` */
const passElement: Shape = {
  literal: 'pass>',
  look: (text, start, end) => {
    const isName = endsPassPrefix(text, start) || startsWord(text, start, slug)
    const value = isName ? valueAfter(text, start, end - 1) : undefined
    if (value === undefined) return end
    const shown = text.slice(value.start, value.end)
    const isSecret = !isResult(shown, false) && looksSecret(shown, 'quoted', 'password')
    return isSecret ? { label: 'password', start: value.start, end: value.end } : end
  },
}

/** A line may begin with its number or with a diff sign. */
const SETTING = /(?:^|[\n,{]|\\n)(?:[ \t]{0,8}\d{1,6}(?:\u2192|\t)|[+-])?[ \t]{0,40}(?:- )?\w{0,5}$/
const LONGEST_BEFORE_SETTING = 64
const SETTING_END = /[ \t]{0,8}(?:$|[\r\n,;}#"'\\<])/y
/** A number with a unit, a call, a path or a field is not a password. */
const NO_PASSWORD = /^(?:test|\d[\d.]*[a-z]{0,2}$)|[/(]|\w\.\w/i

/** `pass: …` where a setting stands: alone on its line, or in a list. Upper case is the output of tests. */
const passSetting: Shape = {
  literal: 'pass:',
  look: (text, start, end) => {
    const before = text.slice(Math.max(0, start - LONGEST_BEFORE_SETTING), start)
    if (!text.startsWith('pass:', start) || !SETTING.test(before)) return end
    if (!endsPassPrefix(text, start) && !startsWord(text, start, slug)) return end
    const from = skipBlanks(text, end)
    const found = passwordAt(text, from, false)
    if (found === undefined) return end
    SETTING_END.lastIndex = skipQuote(text, found.end)
    const isBare = found.start === from
    const isSecret = SETTING_END.test(text) && !(isBare && NO_PASSWORD.test(text.slice(from, found.end)))
    return isSecret ? found : end
  },
}

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
    const from = parseOpeningQuote(text, end)?.start ?? end
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
    const from = parseOpeningQuote(text, end)?.start ?? end
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

const decodeBase64 = (value: string): string => Buffer.from(value, 'base64').toString('latin1')

const AUTH_VALUE = /\\{0,8}"[ \t]{0,8}:[ \t]{0,8}\\{0,8}"([A-Za-z0-9+/]{8,1024}={0,2})\\{0,8}"/y

/** `"auth": "…"` in the settings of container tools: a name and a password in base64. */
const registryAuth: Shape = {
  literal: 'auth"',
  look: (text, start, end) => {
    AUTH_VALUE.lastIndex = end - 1
    const value = startsWord(text, start, slug) ? AUTH_VALUE.exec(text)?.[1] : undefined
    if (value === undefined || !/^[\x20-\x7e]+:[\x20-\x7e]+$/.test(decodeBase64(value))) return end
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
  passElement,
  passSetting,
  ...signatures,
  digest,
  ...pgpass,
  registryAuth,
  puttyKey,
]
