/** A set of ASCII characters, for scanning without a regular expression. */
export type CharacterSet = Uint8Array

export function characterSet(characters: string): CharacterSet {
  const set = new Uint8Array(128)
  for (const character of characters) set[character.charCodeAt(0)] = 1
  return set
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const ALNUM = UPPER + LOWER + DIGITS

export const upperAlnum = characterSet(UPPER + DIGITS)
export const lowerAlnum = characterSet(LOWER + DIGITS)
export const hex = characterSet(`${DIGITS}abcdef`)
export const hexAnyCase = characterSet(`${DIGITS}abcdefABCDEF`)
export const alnum = characterSet(ALNUM)
export const word = characterSet(`${ALNUM}_`)
export const slug = characterSet(`${ALNUM}_-`)
export const dotted = characterSet(`${ALNUM}_-.`)
export const base64 = characterSet(`${ALNUM}+/`)
export const base64Any = characterSet(`${ALNUM}+/_-`)
export const token = characterSet(`${ALNUM}_-.~+/=`)
export const encoded = characterSet(`${ALNUM}_-.~+/=%`)
export const digit = characterSet(DIGITS)
export const blank = characterSet(' \t')

export function has(set: CharacterSet, text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 && set[code] === 1
}

/** Returns the end of the run of these characters that starts at `from`. */
export function runEnd(set: CharacterSet, text: string, from: number, limit = text.length): number {
  const stop = Math.min(limit, text.length)
  let at = from
  while (at < stop && has(set, text, at)) at += 1
  return at
}

/** Returns the start of the run of these characters that ends at `to`, at most `most` characters before. */
export function runStart(set: CharacterSet, text: string, to: number, most: number): number {
  let at = to
  while (at > to - most && at > 0 && has(set, text, at - 1)) at -= 1
  return at
}
