import type { ListedConversation } from '../conversations-port.ts'
import { parseMessage, type StoredRow } from './row-parsing.ts'

/** A search blocks a reader for no longer than this. */
export const SEARCH_MS = 1_000

const AROUND = 60

/** Searches for a text, ignoring case. */
export class Search {
  readonly #wanted: string
  readonly #written: string

  constructor(text: string) {
    this.#wanted = text.toLowerCase()
    this.#written = JSON.stringify(this.#wanted).slice(1, -1).toLowerCase()
  }

  /**
   * Returns a substring of the text as it appears in a document, in lower-case ASCII and caseless characters.
   * A document that contains the text also contains this part once its ASCII letters are lower-cased, or
   * contains one of `BECOME_ASCII`.
   */
  get part(): string {
    const parts = this.#written.match(/(?:[\0-\x7f]|\P{Changes_When_Casemapped})+/gu) ?? []
    return parts.reduce((longest, each) => (each.length > longest.length ? each : longest), '')
  }

  isInTitle(title: string): boolean {
    return title.toLowerCase().includes(this.#wanted)
  }

  findIn(row: StoredRow): NonNullable<ListedConversation['found']> | undefined {
    // This compares the raw document text first, so that only documents that may match are parsed.
    if (!String(row.doc).toLowerCase().includes(this.#written)) return undefined
    const { id: message_id, content } = parseMessage(row)
    const at = content.toLowerCase().indexOf(this.#wanted)
    if (at < 0) return undefined
    const snippet = content.slice(Math.max(0, at - AROUND), at + this.#wanted.length + AROUND)
    return { message_id, snippet }
  }
}

/** The only other letters whose lower-case form is ASCII or caseless: the Turkish İ and the Kelvin sign. */
export const BECOME_ASCII = ['\u0130', '\u212a'] as const
