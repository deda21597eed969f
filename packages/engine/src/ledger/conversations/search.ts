import type { ListedConversation } from '../conversations-port.ts'
import { messageIn, type StoredRow } from './stored.ts'

/** A reader is held up no longer than this. */
export const SEARCH_MS = 1_000

const AROUND = 60

/** Looks for a text without regard to case. */
export class Search {
  readonly #wanted: string
  readonly #written: string

  constructor(text: string) {
    this.#wanted = text.toLowerCase()
    this.#written = JSON.stringify(this.#wanted).slice(1, -1).toLowerCase()
  }

  /**
   * A part of it as it stands in a document, small ASCII letters and what has no case: a document has it where only ASCII is made small,
   * or has one of `BECOME_ASCII`, or does not have the text.
   */
  get part(): string {
    const parts = this.#written.match(/(?:[\0-\x7f]|\P{Changes_When_Casemapped})+/gu) ?? []
    return parts.reduce((longest, each) => (each.length > longest.length ? each : longest), '')
  }

  isInTitle(title: string): boolean {
    return title.toLowerCase().includes(this.#wanted)
  }

  findIn(row: StoredRow): NonNullable<ListedConversation['found']> | undefined {
    // As it stands in a document, so that only those are read whole that may have it.
    if (!String(row.doc).toLowerCase().includes(this.#written)) return undefined
    const { id: message_id, content } = messageIn(row)
    const at = content.toLowerCase().indexOf(this.#wanted)
    if (at < 0) return undefined
    const snippet = content.slice(Math.max(0, at - AROUND), at + this.#wanted.length + AROUND)
    return { message_id, snippet }
  }
}

/** The only other letters that have ASCII, or something without a case, in their small form: the Turkish İ and the sign of Kelvin. */
export const BECOME_ASCII = ['\u0130', '\u212a'] as const
