import {
  blank,
  type CharacterSet,
  characterSet,
  digit,
  has,
  hexAnyCase,
  runEnd,
  runStart,
} from './characters.ts'

const MOST_PARAMETERS = 24
const colourParameter = characterSet('0123456789;:?')

/**
 * Returns true when a word can begin at `at`: the previous character is not part of a word, or belongs to an
 * escape or colour code. In `\nghp_…`, `%0Aghp_…`, `\u0022ghp_…` and `ESC[31mghp_…` the letter before the key
 * is not part of a word.
 */
export const startsWord = (text: string, at: number, word: CharacterSet): boolean =>
  !has(word, text, at - 1) || endsEscape(text, at)

/** Skips an escape whose digits look like the beginning of a run: `\u0022123:AA…`, `%20123:AA…`. */
export function skipEscape(text: string, runStart: number, to: number): number {
  const length = escapeDigits(text, runStart)
  return length > 0 && runStart + length <= to && endsEscape(text, runStart + length)
    ? runStart + length
    : runStart
}

function escapeDigits(text: string, at: number): number {
  const before = text[at - 1]
  if (before === '%' || before === 'x') return 2
  if (before === 'u') return 4
  if (before === 'U') return LONGEST_CODE
  if (before !== '\\') return 0
  return text.startsWith('0000', at) ? LONGEST_CSS : runEnd(digit, text, at, at + 3) - at
}

function endsEscape(text: string, at: number): boolean {
  const before = text[at - 2]
  // `\n`, `\t` and, in the notation of `cat -v`, `^M` and `^I`.
  if (before === '\\' || before === '^') return true
  if (before === '(' && text[at - 3] === '\u001b') return true
  return endsCode(text, at) || endsColour(text, at)
}

/** `\U0000000a` of Python and C has eight digits, and `\00000a` of CSS at most six. */
const LONGEST_CODE = 8
const LONGEST_CSS = 6

/**
 * Matches `%0A`, also double-encoded as `%250A`; `\x0a`, `\033`, `\u000a`, `\U0000000a` and, of CSS, `\00000a`;
 * and `=0A` of quoted-printable.
 */
function endsCode(text: string, at: number): boolean {
  if (!has(hexAnyCase, text, at - 1) || !has(hexAnyCase, text, at - 2)) return false
  let start = at - 2
  while (start > at - 10 && text.startsWith('25', start - 2)) start -= 2
  if (text[start - 1] === '%') return true
  if (text[at - 3] === '=') return /^(?:0[9AD]|2[027]|3D)$/.test(text.slice(at - 2, at))
  if (text[at - 3] === 'x') return text[at - 4] === '\\'
  if (text[at - 3] === '\\') return true
  if (text[at - 4] === '\\') return has(digit, text, at - 3)
  if (text[at - 5] === 'u') return text[at - 6] === '\\'
  start = runStart(hexAnyCase, text, at, LONGEST_CODE)
  if (text[start - 1] === 'U') return at - start === LONGEST_CODE && text[start - 2] === '\\'
  return text[start - 1] === '\\' && text[start] === '0' && at - start <= LONGEST_CSS
}

/** Matches `[31m`, whatever remains of the escape character before it. */
function endsColour(text: string, at: number): boolean {
  const least = at - 2 - MOST_PARAMETERS
  let start = at - 2
  while (start > least && has(colourParameter, text, start)) start -= 1
  return text[start] === '[' || text[start] === '\u009b'
}

const LINE_END = /^(?:\\?\r?\n|\\{1,4}(?:r\\{1,4})?n)/

/** Returns the start of the next line if a line ends at `at`, with a real line end or an escaped one. */
export function nextLine(text: string, at: number): number | undefined {
  const lineEnd = LINE_END.exec(text.slice(at, at + 16))?.[0]
  return lineEnd === undefined
    ? undefined
    : runEnd(blank, text, at + lineEnd.length, at + lineEnd.length + 16)
}
