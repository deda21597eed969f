/** A set of ASCII characters, for scanning without a regular expression. */
export type CharacterSet = Uint8Array

export function setOf(characters: string): CharacterSet {
  const set = new Uint8Array(128)
  for (const character of characters) set[character.charCodeAt(0)] = 1
  return set
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const DIGITS = '0123456789'
const ALNUM = UPPER + UPPER.toLowerCase() + DIGITS

export const upperAlnum = setOf(UPPER + DIGITS)
export const alnum = setOf(ALNUM)
export const word = setOf(`${ALNUM}_`)
export const slug = setOf(`${ALNUM}_-`)
export const token = setOf(`${ALNUM}_-.~+/=`)
export const digit = setOf(DIGITS)
export const blank = setOf(' \t')
export const quote = setOf('"\'`')

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
