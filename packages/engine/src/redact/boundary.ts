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
const MOST_INTERMEDIATES = 4
// The parts of a control sequence in ECMA-48.
const parameter = characterSet('0123456789:;<=>?')
const intermediate = characterSet(' !"#$%&\'()*+,-./')

/**
 * Returns true when a word can begin at `at`: the previous character is not part of a word, or belongs to an
 * escape or a control sequence. In `\nghp_…`, `%0Aghp_…`, `\u0022ghp_…` and `ESC[31mghp_…` the letter before the
 * key is not part of a word.
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
  // In PowerShell.
  if (before === '`') return /[nrt]/.test(text[at - 1] ?? '')
  return endsCode(text, at) || endsSequence(text, at)
}

/** `\U0000000a` of Python and C has eight digits, and `\00000a` of CSS at most six. */
const LONGEST_CODE = 8
const LONGEST_CSS = 6

/**
 * Matches `%0A`, also double-encoded as `%250A`, and `%u000a`; `\x0a`, `\033`, `\u000a`, `\U0000000a` and, of CSS, `\00000a`;
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
  if (text[at - 5] === 'u') return text[at - 6] === '\\' || text[at - 6] === '%'
  start = runStart(hexAnyCase, text, at, LONGEST_CODE)
  if (text[start - 1] === 'U') return at - start === LONGEST_CODE && text[start - 2] === '\\'
  return text[start - 1] === '\\' && text[start] === '0' && at - start <= LONGEST_CSS
}

/** ESC as a character, as JSON, C and shells write it, in the notation of `cat -v`, or percent-encoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ESCAPE = /(?:\x1b|\\(?:u001b|u\{1b\}|x1b|033|e)|\^\[|%1b)$/i
/** The single character that has the meaning of `ESC[`. */
const INTRODUCER = /(?:\x9b|\\(?:u00|x)9b)$/i
const LONGEST_ESCAPE = 6

const endsWith = (expression: RegExp, text: string, at: number): boolean =>
  expression.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at))

/**
 * Matches the control sequences of ECMA-48: `ESC[31m`, `ESC[>4;2m`, `ESC[1 q`, `ESC(B`, `ESC7`. Of a colour, `[31m`
 * is enough, whatever remains of the escape character before it.
 */
function endsSequence(text: string, at: number): boolean {
  const last = at - 1
  const first = runStart(intermediate, text, last, MOST_INTERMEDIATES)
  const start = runStart(parameter, text, first, MOST_PARAMETERS)
  if (text[start - 1] === '[') return first === last || endsWith(ESCAPE, text, start - 1)
  return endsWith(INTRODUCER, text, start) || endsWith(ESCAPE, text, first)
}

const LINE_END = /^(?:\\?\r?\n|\\{1,4}(?:r\\{1,4})?n)/
const LINE_START = /(?:\\?\r?\n|\\{1,4}(?:r\\{1,4})?n)[ \t]{0,16}$/

/** Returns the start of the next line if a line ends at `at`, with a real line end or an escaped one. */
export function nextLine(text: string, at: number): number | undefined {
  const lineEnd = LINE_END.exec(text.slice(at, at + 16))?.[0]
  return lineEnd === undefined
    ? undefined
    : runEnd(blank, text, at + lineEnd.length, at + lineEnd.length + 16)
}

/** Returns the end of the previous line if a line starts at `at`, after a real line end or an escaped one. */
export function previousLine(text: string, at: number): number | undefined {
  const lineStart = LINE_START.exec(text.slice(Math.max(0, at - 32), at))?.[0]
  return lineStart === undefined ? undefined : at - lineStart.length
}
