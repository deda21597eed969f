/**
 * The beginning of a cell that a spreadsheet treats as a formula. Some accept full-width signs and
 * skip leading blanks.
 */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/**
 * Formats a text as one CSV cell: quoted if needed, so that nothing in it is executed or invisible.
 */
export function csvText(value: string): string {
  const shown = visible(value)
  const text = FORMULA.test(shown) ? `'${shown}` : shown
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats one line without Markdown and without addresses or names that would become links. */
export const markdownLine = (text: string, most: number): string =>
  visibleLine(text, most).replace(/[\\`*_{}[\]<>()#+!|~$&@]|:(?=\/)|\.(?=[\p{L}\p{N}])/gu, '\\$&')

/**
 * Anything that is more than text: markup, images, links, addresses and names that become links,
 * and rendered blocks.
 */
const ACTIVE =
  /<[a-z/!?]|!\[|\[\[|\]\s*[:([]|&#?\w+;|\b[a-z][a-z0-9+.-]{0,30}:\/\/|\bwww\.|@\w|(?:`{3}|~{3})[ \t]{0,20}(?:mermaid|geojson|topojson|stl|math)/i

/** Returns a text as Markdown if it contains only plain text; otherwise verbatim in a fence. */
export function markdownText(text: string): string {
  const shown = visible(text)
  if (shown.trim() === '') return ''
  return ACTIVE.test(shown) || isOpen(shown) ? markdownFence(text) : shown
}

/** The same inside a quotation, which ends where its lines end. */
export function markdownQuote(text: string): string {
  const shown = visible(text)
  if (shown.trim() === '') return ''
  return ACTIVE.test(shown) ? markdownFence(text) : shown.replace(/^/gm, '> ')
}

/** Returns any text verbatim in a fence that is longer than any in it. */
export function markdownFence(text: string, language = 'text'): string {
  const shown = visible(text)
  let longest = 2
  for (const [run] of shown.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${shown}\n${fence}`
}

/** An unclosed code block would swallow what follows. */
function isOpen(text: string): boolean {
  let fence = ''
  for (const line of text.split('\n')) {
    const [, run = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (run === '') continue
    if (fence === '') {
      if (!run.startsWith('`') || !rest.includes('`')) fence = run
    } else if (run.startsWith(fence) && rest.trim() === '') fence = ''
  }
  return fence !== ''
}

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
 * is seen are named.
 */
export const visible = (text: string): string =>
  text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSEEN, nameCodePoint)

/** Makes a part of a text safe, even if it begins or ends within a surrogate pair or a line end. */
export const visiblePart = (text: string): string => text.replace(UNSEEN, nameCodePoint)

/** Makes a text safe and puts it on one line of at most this length. */
export function visibleLine(text: string, most: number): string {
  const line = visible(text.slice(0, 4 * most).replace(/\s+/g, ' ')).trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/**
 * Formats JSON with such characters as escapes. Its value stays the same, and it is harmless in a terminal.
 */
export const safeJson = (value: unknown, indent?: number): string =>
  safeJsonText(JSON.stringify(value, null, indent))

/** Escapes such characters in text that is already JSON. */
export const safeJsonText = (json: string): string =>
  json.replace(UNSEEN, (letter) =>
    Array.from(
      { length: letter.length },
      (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
