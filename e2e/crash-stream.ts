import { newEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'

/** Events of one writer in one life of the child; long enough for any life. */
const MOST = 1_000_000

/** A stream that can be read by place. Only what was asked for is generated and kept. */
export class Stream {
  readonly seed: number
  readonly #events: NewEvent[] = []
  readonly #rest: Iterator<NewEvent>

  constructor(seed: number) {
    this.seed = seed
    this.#rest = newEvents({ seed, events: MOST })[Symbol.iterator]()
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

/** What a child is told to do. */
export interface Life {
  readonly file: string
  readonly seed: number
  /** One writer each: where it starts in which stream. */
  readonly writers: readonly { readonly seed: number; readonly from: number }[]
  readonly chore: Chore
  /** Where backups go. */
  readonly copies: string
}

/** What a child says, one line each. */
export type Said =
  | { readonly ready: true }
  | { readonly sent: number; readonly from: number; readonly count: number }
  | { readonly acknowledged: number; readonly from: number; readonly count: number; readonly last: number }
  | { readonly chores: number }
  | { readonly failed: string }
