import { alnum, digit, has, runEnd, setOf, slug } from './characters.ts'
import type { Shape } from './shape.ts'

/** Three base64url parts, the first two of which are JSON objects (`eyJ` is `{"`). */
export const jwtShape: Shape = {
  literal: 'eyJ',
  look: (text, start, end) => {
    if (has(slug, text, start - 1) || !text.startsWith('eyJ', start)) return end
    const header = runEnd(slug, text, end)
    if (header - start < 12 || !text.startsWith('.eyJ', header)) return header
    const payload = runEnd(slug, text, header + 1)
    if (text[payload] !== '.') return payload
    return { label: 'jwt', start, end: runEnd(slug, text, payload + 1) }
  },
}

const KIND_LIMIT = 48

/** A private key block; one that was cut off before its end goes to the end of the text. */
export const pemShape: Shape = {
  literal: '-----BEGIN ',
  look: (text, start, end) => {
    const head = text.slice(end, end + KIND_LIMIT)
    const close = head.indexOf('-----')
    if (close < 0 || !/PRIVATE KEY(?: BLOCK)?$/.test(head.slice(0, close))) return end
    const footer = text.indexOf('-----END ', end + close)
    if (footer < 0) return { label: 'private-key', start, end: text.length }
    const last = text.indexOf('-----', footer + 9)
    const whole = last < 0 || last > footer + 9 + KIND_LIMIT ? text.length : last + 5
    return { label: 'private-key', start, end: whole }
  },
}

const authorityEnd = setOf('/?#\\"\'`<>()[]{}|, \t\r\n')
const PLACEHOLDER = setOf('$<{%*[')

/** `scheme://user:password@host`: only the password goes. A long user without one is a token. */
export const urlShape: Shape = {
  literal: '://',
  look: (text, _start, end) => {
    let stop = end
    let colon = -1
    let at = -1
    for (; stop < text.length && !has(authorityEnd, text, stop); stop++) {
      const character = text[stop]
      if (character === ':' && colon < 0) colon = stop
      else if (character === '@') at = stop
    }
    if (at < 0) return stop
    if (colon >= 0 && colon < at) {
      const secret = at - colon > 1 && !has(PLACEHOLDER, text, colon + 1)
      return secret ? { label: 'password', start: colon + 1, end: at } : stop
    }
    return at - end >= 20 && isChance(text, end, at) ? { label: 'token', start: end, end: at } : stop
  },
}

function isChance(text: string, from: number, to: number): boolean {
  let digits = 0
  for (let at = from; at < to; at++) {
    if (has(digit, text, at)) digits += 1
    else if (!has(alnum, text, at) && !has(slug, text, at)) return false
  }
  return digits > 0
}
