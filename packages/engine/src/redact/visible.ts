/**
 * Controls but for tabs and line ends, and marks that turn the writing round, hide it or are not seen. What joins emoji and the
 * letters of some scripts stays.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu

const named = (letter: string): string =>
  `‹U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`

/** A text as it may stand on a page or in a terminal: what would not be seen, or would change how the rest is seen, is named. */
export const visible = (text: string): string =>
  text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSEEN, named)

/** The same on one line, and not longer than this. */
export function visibleLine(text: string, most: number): string {
  const line = visible(text.slice(0, 4 * most).replace(/\s+/g, ' ')).trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** JSON in which such letters are written as escapes: the same to a program, and harmless in a terminal. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSEEN, (letter) =>
    Array.from(
      { length: letter.length },
      (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
