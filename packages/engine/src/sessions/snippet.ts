const BEFORE = 40
const LENGTH = 160

/** The words around the first of the words that were looked for, on one line. */
export function snippetOf(text: string, typed: string): string {
  const plain = text.normalize('NFC').replace(/\s+/g, ' ').trim()
  const lower = plain.toLowerCase()
  const places = wordsOf(typed)
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = Math.max(0, first - BEFORE)
  const from = start === 0 ? 0 : nextWord(plain, start)
  const end = Math.min(plain.length, from + LENGTH)
  return `${from > 0 ? '…' : ''}${plain.slice(from, end)}${end < plain.length ? '…' : ''}`
}

const wordsOf = (typed: string): readonly string[] =>
  typed
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** A snippet begins with a word, where one begins nearby. */
function nextWord(text: string, at: number): number {
  const space = text.indexOf(' ', at)
  return space >= 0 && space - at < 20 ? space + 1 : at
}
