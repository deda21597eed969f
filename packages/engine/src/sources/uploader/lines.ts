import { Again, type Told } from './remembered.ts'

/** What stands in one line, in characters and in messages. */
const MOST_IN_LINE = 524_288
const MOST_MESSAGES = 500

export type RecordType = 'agent' | 'messages' | 'skipped'

/** Makes lines of records: messages in a row are one line, and so is what is the same as before. */
export class Lines {
  readonly #which: object
  readonly #before: { readonly of: string; readonly again: Again } | undefined
  #messages: string[] = []
  #held = 0
  #same = { from: 0, count: 0 }
  /** How many records the lines that were made have. */
  at = 0

  constructor(which: object, before: Told | undefined) {
    this.#which = which
    this.#before = before && { of: before.telling, again: new Again(before.hashes) }
  }

  line(type: string, fields: object): string {
    return JSON.stringify({ type, ...this.#which, ...fields })
  }

  /** A message as JSON; anything else as an object of the fields of its line. */
  *add(type: RecordType, json: string, hash: string): Generator<string> {
    const from = this.#before?.again.find(hash)
    if (from !== undefined) {
      if (this.#same.from + this.#same.count !== from || this.#messages.length > 0) yield* this.flushed()
      if (this.#same.count === 0) this.#same.from = from
      this.#same.count += 1
      return
    }
    if (type !== 'messages' || this.#same.count > 0) yield* this.flushed()
    if (type === 'messages') {
      this.#messages.push(json)
      this.#held += json.length
      if (this.#held >= MOST_IN_LINE || this.#messages.length >= MOST_MESSAGES) yield* this.flushed()
      return
    }
    yield `${this.line(type, { at: this.at }).slice(0, -1)},${json.slice(1)}`
    this.at += 1
  }

  *flushed(): Generator<string> {
    if (this.#messages.length > 0) {
      const messages = `"messages":[${this.#messages.join(',')}]}`
      yield `${this.line('messages', { at: this.at }).slice(0, -1)},${messages}`
      this.at += this.#messages.length
    } else if (this.#same.count > 0) {
      yield this.line('same', { at: this.at, of: this.#before?.of, ...this.#same })
      this.at += this.#same.count
    }
    this.#messages = []
    this.#held = 0
    this.#same = { from: 0, count: 0 }
  }
}
