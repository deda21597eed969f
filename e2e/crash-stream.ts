import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'

/** The events of one writer in one life of the child; more than any life needs. */
const MOST = 1_000_000

/** An infinite stream with random access. It generates only the events that are read. */
export class Stream {
  readonly seed: number
  readonly #events: NewEvent[] = []
  readonly #rest: Iterator<NewEvent>

  constructor(seed: number) {
    this.seed = seed
    this.#rest = generateNewEvents({ seed, events: MOST })[Symbol.iterator]()
  }

  slice(from: number, to: number): readonly NewEvent[] {
    while (this.#events.length < to) {
      const next = this.#rest.next()
      if (next.done) throw new Error('the stream has ended')
      this.#events.push(next.value)
    }
    return this.#events.slice(from, to)
  }
}

/** What the child does besides appending. */
export type Chore = 'none' | 'rebuild' | 'retain' | 'backup'

/** The instructions for one life of a child. */
export interface Life {
  readonly file: string
  readonly seed: number
  /** The writers: from which position in which stream each continues. */
  readonly writers: readonly { readonly seed: number; readonly from: number }[]
  readonly chore: Chore
  /** The folder for backups. */
  readonly copies: string
}

/** A line of the child's output. */
export type Said =
  | { readonly ready: true }
  | { readonly sent: number; readonly from: number; readonly count: number }
  | { readonly acknowledged: number; readonly from: number; readonly count: number; readonly last: number }
  | { readonly chores: number }
  | { readonly failed: string }
