import { startsWord } from './boundary.ts'
import { characterSet, has, slug } from './characters.ts'
import type { Found, Secret, Shape } from './shape.ts'
import { isPlaceholder, looksSecret } from './value.ts'
import { bareUntil, skipBlanks, valueAfter } from './value-after-name.ts'

const SCHEME = /(?:bearer|basic|token|apikey|negotiate|digest|bot|key|oauth|ssws|splunk|geniekey) {1,4}/iy

/** `Authorization: …` in a header, a command or JSON: the scheme stays, the rest is replaced. */
export const authorizationShape: Shape = {
  literal: 'authorization',
  look: (text, start, end) => {
    const value = valueAfter(text, start, end)
    if (!value || value.around !== undefined) return end
    return authorizationAt(text, value.start) ?? end
  },
}

export const bearerShape: Shape = {
  literal: 'bearer ',
  look: (text, start, end) => {
    if (!startsWord(text, start, slug)) return end
    return credential(text, skipBlanks(text, end), 12) ?? end
  },
}

/** Finds the credential of an `Authorization` whose value starts here. */
function authorizationAt(text: string, start: number): Secret | undefined {
  SCHEME.lastIndex = start
  const from = SCHEME.test(text) ? SCHEME.lastIndex : start
  return credential(text, from, from > start ? 6 : 8)
}

function credential(text: string, start: number, least: number): Secret | undefined {
  const end = bareUntil(text, start, start + 128)
  if (end - start < least) return undefined
  const value = text.slice(start, end)
  if (!looksSecret(value, 'tight', 'password')) return undefined
  if (value.length < 20 && /^[A-Z]?[a-z]+$/.test(value)) return undefined
  return { label: 'authorization', start, end: bareUntil(text, end) }
}

const cookieName = characterSet(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.!#%^*+~$'&|",
)
const cookieEnd = characterSet('"\'`\\;, \t\r\n')
const LONGEST_COOKIE_NAME = 128

/**
 * `Cookie: a=…; b=…` loses every value, and `Set-Cookie: a=…; Path=/` only the first, because the others are
 * attributes.
 */
export const cookieShape: Shape = {
  literal: 'cookie',
  look: (text, start, end) => {
    const value = valueAfter(text, start, end)
    if (!value || value.around !== undefined) return end
    const one = text.slice(Math.max(0, start - 4), start).toLowerCase() === 'set-'
    return cookiesAt(text, value.start, one)
  },
}

export function cookiesAt(text: string, start: number, one: boolean): Found {
  const secrets: Secret[] = []
  let at = start
  for (;;) {
    const value = cookieValueAt(text, at)
    if (value === undefined) break
    const end = valueEnd(text, value)
    if (end > value && !isPlaceholder(text.slice(value, end), 'tight'))
      secrets.push({ label: 'cookie', start: value, end })
    at = end
    if (one || text[end] !== ';') break
    at = skipBlanks(text, end + 1)
  }
  return secrets.length > 0 ? { secrets, until: at } : at
}

function cookieValueAt(text: string, at: number): number | undefined {
  let end = at
  while (end < at + LONGEST_COOKIE_NAME && has(cookieName, text, end)) end += 1
  return end > at && text[end] === '=' && text[end + 1] !== '=' ? end + 1 : undefined
}

function valueEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && !has(cookieEnd, text, at)) at += 1
  return at
}
