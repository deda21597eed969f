import { alnum, digit, has, runEnd, setOf, slug } from './characters.ts'
import type { Shape } from './shape.ts'
import { isPlaceholder } from './value.ts'

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
const FOOTER = /-----END [A-Z0-9 ]{1,48}-----/y
const DASHES = '-----'
const quote = setOf('"\'`')
const bracket = setOf('{}[]')

/** A private key block; one that was cut off goes to the end of the text, or of the quotes it stands in. */
export const pemShape: Shape = {
  literal: '-----BEGIN ',
  look: (text, start, end) => {
    const head = text.slice(end, end + KIND_LIMIT)
    const close = head.indexOf(DASHES)
    if (close < 0 || !/^[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?$/.test(head.slice(0, close))) return end
    return { label: 'private-key', start, end: blockEnd(text, end + close + DASHES.length) }
  },
}

/** A text that code puts together of several goes on after a quote. */
const GOES_ON = /^["'`][ \t]{0,8}[+.]/

function blockEnd(text: string, from: number): number {
  let goesOn = ''
  let at = from
  for (; at < text.length && !has(bracket, text, at); at++) {
    if (has(quote, text, at)) {
      // After a quote that goes on, the next one of its kind opens another part.
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

const authorityEnd = setOf('/?#\\"\'`<>()[]{}|, \t\r\n')

/** `scheme://user:password@host`: only the password goes. A long user without one is a token. */
export const urlShapes: readonly Shape[] = ['://', ':\\/\\/'].map((literal) => ({
  literal,
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
      const secret = at - colon > 1 && !isPlaceholder(text.slice(colon + 1, at), 'tight')
      return secret ? { label: 'password', start: colon + 1, end: at } : stop
    }
    return at - end >= 20 && isChance(text, end, at) ? { label: 'token', start: end, end: at } : stop
  },
}))

function isChance(text: string, from: number, to: number): boolean {
  let digits = 0
  for (let at = from; at < to; at++) {
    if (has(digit, text, at)) digits += 1
    else if (!has(alnum, text, at) && !has(slug, text, at)) return false
  }
  return digits > 0
}
