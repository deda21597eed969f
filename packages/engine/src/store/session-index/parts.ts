import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { partTable, wordsOfPart } from './schema.ts'

/**
 * The words are stored in parts of this many messages. A word that is everywhere, or the beginning of very
 * many words, is searched in the newest parts alone, so that a search takes as long in a large history as in
 * a small one.
 */
export const MESSAGES_A_PART = 16_384

interface Part {
  readonly number: number
  readonly insert: StatementSync
  messages: number
  newest: number
  /** Above zero when older sessions came first, below zero when newer ones did. */
  rising: number
  /** The previous session was last active at this time. */
  last: number | null
}

export class Parts {
  readonly #db: DatabaseSync
  readonly #size: number
  readonly #keep: StatementSync
  readonly #tear: StatementSync
  readonly #inUse: StatementSync
  readonly #cache = new Map<number, Part>()
  #last: number | null | undefined

  constructor(db: DatabaseSync, size = MESSAGES_A_PART) {
    this.#db = db
    this.#size = size
    this.#keep = db.prepare('UPDATE parts SET newest = ?, rising = ? WHERE number = ?')
    this.#tear = db.prepare('UPDATE parts SET torn = 1 WHERE number = ?')
    this.#inUse = db.prepare('SELECT 1 FROM sessions WHERE part = ? LIMIT 1')
  }

  /** Returns the part that the next session goes to. */
  next(): number {
    this.#last ??= numberIn(this.#db.prepare('SELECT max(number) AS n FROM parts').get())
    if (this.#last !== null && this.#of(this.#last).messages < this.#size) return this.#last
    this.#last = (this.#last ?? 0) + 1
    this.#db.exec(partTable(this.#last))
    this.#db.prepare('INSERT INTO parts (number) VALUES (?)').run(this.#last)
    return this.#last
  }

  add(number: number, message: number, text: string | Uint8Array, tools: string): void {
    const part = this.#of(number)
    part.insert.run(message, text, tools)
    part.messages += 1
  }

  /** A session of this part was completed. */
  ended(number: number, at: number | null): void {
    if (at === null) return
    const part = this.#of(number)
    part.newest = Math.max(part.newest, at)
    part.rising += Math.sign(at - (part.last ?? at))
    part.last = at
    this.#keep.run(part.newest, part.rising, number)
  }

  /** Forgets the words of these messages. A part without sessions is deleted. */
  drop(number: number, first: number, end: number): void {
    const part = this.#of(number)
    const words = wordsOfPart(number)
    const { changes } = this.#db
      .prepare(`DELETE FROM ${words} WHERE rowid >= ? AND rowid < ?`)
      .run(first, end)
    part.messages -= Number(changes)
    if (part.messages > 0 || number === this.#last || this.#inUse.get(number)) {
      if (changes > 0) this.#tear.run(number)
      return
    }
    this.#cache.delete(number)
    this.#last = undefined
    this.#db.exec(`DROP TABLE ${words}`)
    this.#db.prepare('DELETE FROM parts WHERE number = ?').run(number)
  }

  /** Drops the memory of everything that was not committed. */
  forget(): void {
    this.#cache.clear()
    this.#last = undefined
  }

  #of(number: number): Part {
    const cached = this.#cache.get(number)
    if (cached !== undefined) return cached
    const row = this.#db.prepare('SELECT newest, rising FROM parts WHERE number = ?').get(number)
    const words = wordsOfPart(number)
    const part: Part = {
      number,
      insert: this.#db.prepare(`INSERT INTO ${words} (rowid, text, tools) VALUES (?, ?, ?)`),
      messages: numberIn(this.#db.prepare(`SELECT count(*) AS n FROM ${words}_docsize`).get()) ?? 0,
      newest: Number(row?.newest),
      rising: Number(row?.rising),
      last: null,
    }
    this.#cache.set(number, part)
    return part
  }
}

const numberIn = (row: Record<string, unknown> | undefined): number | null =>
  typeof row?.n === 'number' ? row.n : null
