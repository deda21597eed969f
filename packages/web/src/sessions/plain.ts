/** Controls but for line ends and tabs, and marks that turn the writing round or hide it. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** Any text as it may stand on a page: what would not be seen, or would change how the rest is seen, is named. */
export const seen = (text: string): string => text.replaceAll('\r\n', '\n').replace(UNSEEN, nameOf)

/** The same on one line. */
export const oneLine = (text: string, most: number): string => {
  const line = seen(text.slice(0, 4 * most).replace(/\s+/g, ' ')).trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

function nameOf(letter: string): string {
  return `‹U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`
}
