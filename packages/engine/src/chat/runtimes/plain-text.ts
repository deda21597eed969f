import { redactBeginning, redactValue, toVisibleLine } from '@panoptes/engine/redact'

type ParserState = 'text' | 'return' | 'escape' | 'control' | 'string' | 'string end'

/** At most this much of an unterminated sequence is removed. */
const LONGEST = 4_096

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
const STRING_BEGINS = new Set([']', 'P', 'X', '^', '_'])
/** The single-character forms of the same introducers. */
const LETTERS: Readonly<Record<string, ParserState>> = {
  '\u001b': 'escape',
  '\u009b': 'control',
  '\u0090': 'string',
  '\u0098': 'string',
  '\u009d': 'string',
  '\u009e': 'string',
  '\u009f': 'string',
}

const MOST_LABEL = 200
const MOST_TEXT = 4_000
const MOST_DEEP = 6
const MOST_FIELDS = 50

/** Removes terminal control sequences and decodes whole characters, wherever the input is split. */
export class PlainText {
  #at: ParserState = 'text'
  #taken = 0
  #half = ''

  take(piece: string): string {
    let text = this.#half + piece
    this.#half = ''
    if (/[\ud800-\udbff]$/.test(text)) {
      this.#half = text.slice(-1)
      text = text.slice(0, -1)
    }
    if (this.#at === 'text' && !RAW.test(text)) return text
    let plain = ''
    for (const letter of text) plain += this.#next(letter)
    return plain
  }

  #next(letter: string): string {
    switch (this.#at) {
      case 'text':
        return this.#text(letter)
      case 'return':
        this.#at = 'text'
        return letter === '\n' ? '\n' : `\n${this.#text(letter)}`
      case 'escape':
        return this.#escape(letter)
      case 'control':
        if (letter >= ' ' && letter <= '?' && this.#isShort()) return ''
        return letter >= '@' && letter <= '~' ? this.#endSequence() : this.#abandonSequence(letter)
      case 'string':
        if (letter === '\u0007' || letter === '\u009c') return this.#endSequence()
        if (letter === '\n' || !this.#isShort()) return this.#abandonSequence(letter)
        if (letter === '\u001b') this.#at = 'string end'
        return ''
      case 'string end':
        return letter === '\\' ? this.#endSequence() : this.#escape(letter)
    }
  }

  #text(letter: string): string {
    if (letter === '\r') this.#at = 'return'
    else if (LETTERS[letter]) this.#begin(LETTERS[letter])
    else if (!RAW.test(letter)) return letter
    return ''
  }

  #escape(letter: string): string {
    if (letter === '[') return this.#begin('control')
    if (STRING_BEGINS.has(letter)) return this.#begin('string')
    if (letter >= ' ' && letter <= '/' && this.#isShort()) return ''
    return letter >= '0' && letter <= '~' ? this.#endSequence() : this.#abandonSequence(letter)
  }

  #begin(at: ParserState): '' {
    this.#at = at
    this.#taken = 0
    return ''
  }

  #endSequence(): '' {
    return this.#begin('text')
  }

  /** The text was not part of a sequence after all. */
  #abandonSequence(letter: string): string {
    this.#endSequence()
    return this.#text(letter)
  }

  #isShort(): boolean {
    this.#taken += 1
    return this.#taken <= LONGEST
  }
}

export const toPlainText = (text: string): string => new PlainText().take(text)

/** Returns a one-line label without secrets. */
export const toLabel = (text: string, otherwise: string): string =>
  toVisibleLine(toPlainText(redactBeginning(text, 4 * MOST_LABEL).text), MOST_LABEL) || otherwise

/** Bounds any value and removes secrets, so that it can be stored and shown. */
export const toSafeDetail = (value: unknown): unknown => redactValue(limitValue(value, 0))

function limitValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cutText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MOST_DEEP) return '…'
  if (Array.isArray(value)) return value.slice(0, MOST_FIELDS).map((one) => limitValue(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_FIELDS)
      .map(([name, one]) => [cutName(name), limitValue(one, depth + 1)]),
  )
}

const cutName = (name: string): string =>
  name.length > MOST_LABEL ? redactBeginning(name, MOST_LABEL).text.slice(0, MOST_LABEL) : name

/** Shortens a long text. Its secrets are removed first, because part of one is not recognised. */
export const cutText = (text: string, most: number = MOST_TEXT): string =>
  text.length > most
    ? `${toPlainText(redactBeginning(text, most).text.slice(0, most))}… (${text.length - most} more characters)`
    : toPlainText(text)
