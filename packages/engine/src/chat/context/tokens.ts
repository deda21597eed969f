/**
 * Roughly how many quarters of a token a character takes: four Latin letters make one token, two
 * Greek or Cyrillic letters, or one Chinese character.
 */
const quarters = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : 4)

/** Estimates the tokens of a text. */
export function countTokens(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum += quarters(text.charCodeAt(at))
  return Math.ceil(sum / 4)
}

/** Returns the beginning of a text, up to this many tokens, without splitting a character. */
export function firstTokens(text: string, most: number): string {
  let room = 4 * Math.max(0, most)
  let at = 0
  for (; at < text.length; at += 1) {
    room -= quarters(text.charCodeAt(at))
    if (room < 0) break
  }
  return text.slice(0, at).replace(/[\uD800-\uDBFF]$/, '')
}

/** Returns the end of a text, up to this many tokens. */
export function lastTokens(text: string, most: number): string {
  let room = 4 * Math.max(0, most)
  let at = text.length
  for (; at > 0; at -= 1) {
    room -= quarters(text.charCodeAt(at - 1))
    if (room < 0) break
  }
  return text.slice(at).replace(/^[\uDC00-\uDFFF]/, '')
}
