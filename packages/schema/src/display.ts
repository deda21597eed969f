import { toVisible, toVisibleLine } from './visible.ts'

/**
 * The beginning of a cell that a spreadsheet treats as a formula. Some accept full-width signs and
 * skip leading blanks.
 */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/**
 * Formats a text as one CSV cell: quoted if needed, so that nothing in it is executed or invisible.
 */
export function csvText(value: string): string {
  const shown = toVisible(value)
  const text = FORMULA.test(shown) ? `'${shown}` : shown
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats one line without Markdown and without addresses or names that would become links. */
export const markdownLine = (text: string, most: number): string =>
  toVisibleLine(text, most).replace(/[\\`*_{}[\]<>()#+!|~$&@]|:(?=\/)|\.(?=[\p{L}\p{N}])/gu, '\\$&')

/**
 * Anything that is more than text: markup, images, links, addresses and names that become links,
 * and rendered blocks.
 */
const ACTIVE =
  /<[a-z/!?]|!\[|\[\[|\]\s*[:([]|&#?\w+;|\b[a-z][a-z0-9+.-]{0,30}:\/\/|\bwww\.|@\w|(?:`{3}|~{3})[ \t]{0,20}(?:mermaid|geojson|topojson|stl|math)/i

/** Returns a text as Markdown if it contains only plain text; otherwise verbatim in a fence. */
export function markdownText(text: string): string {
  const shown = toVisible(text)
  if (shown.trim() === '') return ''
  return ACTIVE.test(shown) || isOpen(shown) ? markdownFence(text) : shown
}

/** The same inside a quotation, which ends where its lines end. */
export function markdownQuote(text: string): string {
  const shown = toVisible(text)
  if (shown.trim() === '') return ''
  return ACTIVE.test(shown) ? markdownFence(text) : shown.replace(/^/gm, '> ')
}

/** Returns any text verbatim in a fence that is longer than any in it. */
export function markdownFence(text: string, language = 'text'): string {
  const shown = toVisible(text)
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

export { escapeJsonText, formatSafeJson, toVisible, toVisibleLine, toVisiblePart } from './visible.ts'
