/**
 * Characters as the automaton sees them. Hermes' rules follow Python: letters of any script are
 * part of a word, and four non-ASCII letters match an ASCII letter when case is ignored.
 */
export type CharClass = number

const ASCII_SINGLES = '\n _-./:=("\'~'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'

const NAMED = new Map<string, CharClass>(
  Array.from(`${LETTERS}${DIGITS}${ASCII_SINGLES}`, (char, index) => [char, index]),
)

const named = (char: string): CharClass => {
  const found = NAMED.get(char)
  if (found === undefined) throw new Error(`no class for ${JSON.stringify(char)}`)
  return found
}

let next = NAMED.size
/** Long s, dotless i and dotted I match s and i under case folding, but not under lower-casing. */
const LONG_S = next++
const DOTLESS_I = next++
const DOTTED_I = next++
const SPACE_OTHER = next++
const WORD_OTHER = next++
const REST = next++
/** Half a surrogate pair; only the whole pair shows whether it is part of a word. */
export const SURROGATE: CharClass = next++

export const CLASS_COUNT = next
export const NEWLINE: CharClass = named('\n')
export const WORD: CharClass = WORD_OTHER
export const NO_WORD: CharClass = REST

/** Returns the classes that match one literal character under case folding. */
export function folded(char: string): readonly CharClass[] {
  if (char === 's') return [named('s'), LONG_S]
  if (char === 'i') return [named('i'), DOTLESS_I, DOTTED_I]
  return [named(char)]
}

/** Returns the classes under lower-casing, where Python maps only the Kelvin sign to an ASCII letter, k. */
export const lowered = (char: string): readonly CharClass[] => [named(char)]

export const SPACES: readonly CharClass[] = [named('\n'), named(' '), SPACE_OTHER]

const WORDS = new Uint8Array(CLASS_COUNT)
for (const char of `${LETTERS}${DIGITS}_`) WORDS[named(char)] = 1
for (const one of [LONG_S, DOTLESS_I, DOTTED_I, WORD_OTHER]) WORDS[one] = 1

export const isWordClass = (one: CharClass): boolean => WORDS[one] === 1

/** Lower-cased, a dotted I becomes an i and a combining mark, which is not part of a word. */
export const isWordLowered = (one: CharClass): boolean => one !== DOTTED_I && isWordClass(one)

/**
 * White space in Python, which includes the four information separators and not the byte order
 * mark.
 */
const PYTHON_SPACE = [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
] as const
const PYTHON_WORD = /[\p{L}\p{N}_]/u
const PYTHON_WORDS = /[\p{L}\p{N}_]+/gu

export const isWordPoint = (point: number): boolean => PYTHON_WORD.test(String.fromCodePoint(point))

/** The class of every UTF-16 code unit. */
export const CLASS_OF: Uint8Array = classes()

function classes(): Uint8Array {
  const units = Uint16Array.from({ length: 0x1_00_00 }, (_, unit) => unit)
  const found = new Uint8Array(units.length).fill(REST)
  for (const { index, 0: word } of Buffer.from(units.buffer).toString('utf16le').matchAll(PYTHON_WORDS))
    found.fill(WORD_OTHER, index, index + word.length)
  for (const [from, to] of PYTHON_SPACE) found.fill(SPACE_OTHER, from, to + 1)
  for (const [char, one] of NAMED)
    for (const written of [char, char.toUpperCase()]) found[written.charCodeAt(0)] = one
  found[0x212a] = named('k')
  found[0x17f] = LONG_S
  found[0x131] = DOTLESS_I
  found[0x130] = DOTTED_I
  return found.fill(SURROGATE, 0xd800, 0xe000)
}
