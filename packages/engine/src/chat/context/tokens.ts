/** Quarters of a token that a letter takes, about: four letters of Latin make one, two of Greek or Cyrillic, one of Chinese. */
const quarters = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : 4)

/** Estimated. */
export function tokensOf(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum += quarters(text.charCodeAt(at))
  return Math.ceil(sum / 4)
}

/** The beginning of a text that is not over so many tokens, whole letters alone. */
export function firstTokens(text: string, most: number): string {
  let room = 4 * Math.max(0, most)
  let at = 0
  for (; at < text.length; at += 1) {
    room -= quarters(text.charCodeAt(at))
    if (room < 0) break
  }
  return text.slice(0, at).replace(/[\uD800-\uDBFF]$/, '')
}

/** The end of it. */
export function lastTokens(text: string, most: number): string {
  let room = 4 * Math.max(0, most)
  let at = text.length
  for (; at > 0; at -= 1) {
    room -= quarters(text.charCodeAt(at - 1))
    if (room < 0) break
  }
  return text.slice(at).replace(/^[\uDC00-\uDFFF]/, '')
}
