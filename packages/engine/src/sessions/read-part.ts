import type { IndexChange, IndexedMessage } from '@panoptes/engine/store'
import type { Failure } from '@panoptes/schema'

/** The size of a part in characters and in messages. */
const MOST_TEXT = 131_072
const MOST_MESSAGES = 1_000

/** The result of reading some sessions, in list order. */
export interface ReadPart {
  readonly changes: readonly IndexChange[]
  /** Sessions that were finished in this part. */
  readonly done: number
  /** Finished sessions whose read took long. */
  readonly slow: readonly Slow[]
  readonly problems: readonly Failure[]
}

export interface Slow {
  readonly id: string
  readonly ms: number
}

/** A read counts as slow from here on. */
const SLOW_MS = 20

interface Of {
  readonly source: string
  readonly id: string
}

/** Collects results until there are enough to pass on. A session that fits into one part is never split. */
export class Gathering {
  /** Changes of sessions that were read to their end. */
  #whole: IndexChange[] = []
  /** Changes of the session that is being read. */
  #open: IndexChange[] = []
  #messages: IndexedMessage[] = []
  #problems: Failure[] = []
  #slow: Slow[] = []
  #done = 0
  #text = 0
  #count = 0
  #handedOn = false
  #of: Of | undefined

  add(change: IndexChange): void {
    if (change.type === 'begin') this.#of = { source: change.source, id: change.id }
    this.#messages = []
    this.#open.push(change)
  }

  /** Adds a chunk of the archive between messages, which stay together. */
  archive(change: Extract<IndexChange, { readonly type: 'chunk' }>): void {
    this.#open.push(change)
    this.#text += change.chunk.data?.length ?? 0
  }

  say(of: Of, message: IndexedMessage): void {
    if (this.#messages.length === 0) this.#open.push({ type: 'messages', ...of, messages: this.#messages })
    this.#messages.push(message)
    this.#text += message.text.length
    this.#count += 1
  }

  /** Only a missing session is dropped. An unreadable one stays in the index as it was and is read later. */
  fail(of: Of, problem: Failure): void {
    this.#open = problem.code === 'not_found' ? [{ type: 'drop', ...of }] : this.#left()
    this.#problems.push(problem)
  }

  /** A session that was not read to its end changes nothing in the index. */
  close(readToEnd: boolean, ms: number): void {
    if (ms >= SLOW_MS && this.#of !== undefined) this.#slow.push({ id: this.#of.id, ms })
    this.#whole.push(...(readToEnd ? this.#open : this.#left()))
    this.#open = []
    this.#messages = []
    this.#handedOn = false
    this.#done += 1
  }

  #left(): IndexChange[] {
    return this.#handedOn && this.#of !== undefined ? [{ type: 'leave', ...this.#of }] : []
  }

  isFull(): boolean {
    return this.#text >= MOST_TEXT || this.#count >= MOST_MESSAGES
  }

  take(): ReadPart {
    const apart = this.#whole.length === 0 && this.#open.length > 0
    const part = {
      changes: apart ? this.#open : this.#whole,
      done: this.#done,
      slow: this.#slow,
      problems: this.#problems,
    }
    if (apart) {
      this.#open = []
      this.#messages = []
      this.#handedOn = true
    }
    this.#whole = []
    this.#slow = []
    this.#problems = []
    this.#done = 0
    this.#text = 0
    this.#count = 0
    return part
  }
}
