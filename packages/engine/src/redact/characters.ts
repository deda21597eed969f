/** A set of ASCII characters, for scanning without a regular expression. */
export type CharacterSet = Uint8Array

export function setOf(characters: string): CharacterSet {
  const set = new Uint8Array(128)
  for (const character of characters) set[character.charCodeAt(0)] = 1
  return set
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const ALNUM = UPPER + LOWER + DIGITS

export const upperAlnum = setOf(UPPER + DIGITS)
export const lowerAlnum = setOf(LOWER + DIGITS)
export const hex = setOf(`${DIGITS}abcdef`)
export const alnum = setOf(ALNUM)
export const word = setOf(`${ALNUM}_`)
export const slug = setOf(`${ALNUM}_-`)
export const dotted = setOf(`${ALNUM}_-.`)
export const base64 = setOf(`${ALNUM}+/`)
export const token = setOf(`${ALNUM}_-.~+/=`)
export const encoded = setOf(`${ALNUM}_-.~+/=%`)
export const digit = setOf(DIGITS)
export const blank = setOf(' \t')

export function has(set: CharacterSet, text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 && set[code] === 1
}

/** Where the run of such characters that starts at `from` ends. */
export function runEnd(set: CharacterSet, text: string, from: number, limit = text.length): number {
  const stop = Math.min(limit, text.length)
  let at = from
  while (at < stop && has(set, text, at)) at += 1
  return at
}

/** Where the run of such characters that ends at `to` starts, at most `most` characters before. */
export function runStart(set: CharacterSet, text: string, to: number, most: number): number {
  let at = to
  while (at > to - most && at > 0 && has(set, text, at - 1)) at -= 1
  return at
}
