/**
 * Control characters except tabs and line ends, and characters that are invisible or change the
 * text direction. Joiners of emoji and of some scripts stay.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu

const nameCodePoint = (letter: string): string =>
  `‹U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`

/**
 * Makes a text safe for a page or a terminal: characters that are invisible or change how the rest
 * is seen are nameCodePoint.
 */
export const toVisible = (text: string): string =>
  text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSEEN, nameCodePoint)

/** Makes a part of a text safe, even if it begins or ends within a surrogate pair or a line end. */
export const toVisiblePart = (text: string): string => text.replace(UNSEEN, nameCodePoint)

/** Makes a text safe and puts it on one line of at most this length. */
export function toVisibleLine(text: string, most: number): string {
  const line = toVisible(text.slice(0, 4 * most).replace(/\s+/g, ' ')).trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/**
 * Formats JSON with such characters as escapes. Its value stays the same, and it is harmless in a terminal.
 */
export const formatSafeJson = (value: unknown, indent?: number): string =>
  escapeJsonText(JSON.stringify(value, null, indent))

/** Escapes such characters in text that is already JSON. */
export const escapeJsonText = (json: string): string =>
  json.replace(UNSEEN, (letter) =>
    Array.from(
      { length: letter.length },
      (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
