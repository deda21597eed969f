import { nextLine, startsWord } from './boundary.ts'
import { alnum, characterSet, digit, dotted, has, runEnd, runStart, slug } from './characters.ts'
import { restEnd } from './keys.ts'
import type { Shape } from './shape.ts'
import { isPlaceholder } from './value.ts'

const LEAST_LINE = 40
const MOST_LINES = 64
const LEAST_SIGNATURE = 16

/**
 * Three base64url parts, the first two of which are JSON objects (`eyJ` is `{"`). A terminal may have wrapped
 * them.
 */
export const jwtShape: Shape = {
  literal: 'eyJ',
  look: (text, start, end) => {
    if (!startsWord(text, start, alnum) || !text.startsWith('eyJ', start)) return end
    const header = runEnd(slug, text, end)
    if (header - start < 12) return header
    const payload = text.startsWith('.eyJ', header) ? runEnd(slug, text, header + 1) : header
    if (payload > header && text[payload] === '.')
      return { label: 'jwt', start, end: restEnd(text, runEnd(slug, text, payload + 1), slug) }
    let stop = runEnd(dotted, text, payload)
    let jwt = text.slice(start, stop)
    let lineStart = start
    for (let line = 1; line < MOST_LINES && stop - lineStart >= LEAST_LINE; line++) {
      const next = nextLine(text, stop)
      if (next === undefined) break
      lineStart = next
      stop = runEnd(dotted, text, next)
      jwt += text.slice(next, stop)
    }
    const [, claims = '', signature = ''] = jwt.split('.', 3)
    const isWhole = claims.startsWith('eyJ') && signature.length >= LEAST_SIGNATURE
    return isWhole ? { label: 'jwt', start, end: stop } : stop
  },
}

const KIND_LIMIT = 48
const FOOTER = /-----END [A-Z0-9 ]{1,48}-----/y
const DASHES = '-----'
const quote = characterSet('"\'`')
const bracket = characterSet('{}[]')

/** A private key block. A truncated one extends to the end of the text or of its quotes. */
export const pemShape: Shape = {
  literal: '-----BEGIN ',
  look: (text, start, end) => {
    const head = text.slice(end, end + KIND_LIMIT)
    const close = head.indexOf(DASHES)
    if (close < 0 || !/^[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?$/.test(head.slice(0, close))) return end
    return { label: 'private-key', start, end: blockEnd(text, end + close + DASHES.length) }
  },
}

/** A string concatenation continues after a quote. */
const GOES_ON = /^["'`][ \t]{0,8}[+.]/

function blockEnd(text: string, from: number): number {
  let goesOn = ''
  let at = from
  for (; at < text.length && !has(bracket, text, at); at++) {
    if (has(quote, text, at)) {
      // After a quote with a continuation, the next quote of its kind opens another part.
      const kind = text.slice(text[at - 1] === '\\' ? at - 1 : at, at + 1)
      const opens: boolean = kind === goesOn
      goesOn = !opens && GOES_ON.test(text.slice(at, at + 10)) ? kind : ''
      if (!opens && goesOn === '') return beforeBackslashes(text, from, at)
    }
    if (text[at] !== '-' || !text.startsWith(DASHES, at)) continue
    if (text.startsWith('BEGIN ', at + DASHES.length)) break
    FOOTER.lastIndex = at
    if (FOOTER.test(text)) return FOOTER.lastIndex
  }
  return at
}

function beforeBackslashes(text: string, from: number, to: number): number {
  let at = to
  while (at > from && text[at - 1] === '\\') at -= 1
  return at
}

const authorityEnd = characterSet('/?#\\"\'`<>()[]{}|, \t\r\n')
const urlEnd = characterSet('\\"`<> \t\r\n')
const LONGEST_PASSWORD = 256
const HOST = /(?:[\w-]+\.)*[\w-]{1,63}(?::\d{1,5})?(?=[/?#\\"'`<>()[\]{}|, \t\r\n]|$)/y

/**
 * In `scheme://user:password@host` only the password is replaced. A long user without a password is a token.
 */
export const urlShapes: readonly Shape[] = ['://', ':\\/\\/'].map((literal) => ({
  literal,
  look: (text, start, end) => {
    let stop = end
    let colon = -1
    let at = -1
    for (; stop < text.length && !has(authorityEnd, text, stop); stop++) {
      const character = text[stop]
      if (character === ':' && colon < 0) colon = stop
      else if (character === '@') at = stop
    }
    if (at < 0) {
      const beyond = colon < 0 ? undefined : passwordEnd(text, { start, from: colon + 1, authority: stop })
      return beyond === undefined ? stop : { label: 'password', start: colon + 1, end: beyond }
    }
    if (colon >= 0 && colon < at) {
      const secret = at - colon > 1 && !isPlaceholder(text.slice(colon + 1, at), 'tight')
      return secret ? { label: 'password', start: colon + 1, end: at } : stop
    }
    return at - end >= 20 && isChance(text, end, at) ? { label: 'token', start: end, end: at } : stop
  },
}))

const inScheme = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+')
const LONGEST_SCHEME = 24
/** The paths of these contain no `@`, so digits before it belong to a password. */
const SERVICE =
  /^(?:postgres(?:ql)?|mysql|mariadb|rediss?|mongodb|amqps?|mssql|sqlserver|s?ftp|nats|ldaps?|clickhouse)(?:\+|$)/i
const HIGHEST_PORT = 65_535
const CLOSING: Readonly<Record<string, string>> = { "'": "'", '(': ')', '[': ']', '{': '}', '|': '|' }

/**
 * Many passwords contain an unencoded `/`, `?`, `#`, comma or bracket. A port before the path (`host:8080/@name`) is
 * not a password, and what encloses the address ends it.
 */
function passwordEnd(
  text: string,
  { start, from, authority }: { readonly start: number; readonly from: number; readonly authority: number },
): number | undefined {
  const scheme = runStart(inScheme, text, start, LONGEST_SCHEME)
  const mayBePort = isPort(text.slice(from, authority))
  if (authority === from && text[from] === '/') return undefined
  if (mayBePort && !(text[authority] === '/' && SERVICE.test(text.slice(scheme, start)))) return undefined
  const closing = CLOSING[text[scheme - 1] ?? '']
  const limit = Math.min(text.length, from + LONGEST_PASSWORD)
  for (let at = authority; at < limit && !has(urlEnd, text, at) && text[at] !== closing; at++) {
    if (text.startsWith('://', at) || (mayBePort && text[at] === '?')) return undefined
    if (text[at] !== '@' || text[at - 1] === '/') continue
    HOST.lastIndex = at + 1
    if (HOST.test(text)) return isPlaceholder(text.slice(from, at), 'tight') ? undefined : at
  }
  return undefined
}

const isPort = (text: string): boolean =>
  /^port$/i.test(text) || (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= HIGHEST_PORT)

function isChance(text: string, from: number, to: number): boolean {
  let digits = 0
  for (let at = from; at < to; at++) {
    if (has(digit, text, at)) digits += 1
    else if (!has(alnum, text, at) && !has(slug, text, at)) return false
  }
  return digits > 0
}
