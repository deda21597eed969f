import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/abortable'
import { type EventRow, type EventStore, RecentRows, Wakeups } from '@panoptes/engine/store'
import { BEAT_MS } from './broadcaster.ts'
import { type Page, unpackPage } from './payload.ts'

const PAGE = 1_000
/** A subscriber that hears nothing for this long reads the store itself. */
const SILENT_MS = BEAT_MS * 3
const LOOK_MS = 500
const AGAIN_MS = 250
/**
 * After this time no message from before the rewind is still in flight, even if the publisher did not rewind
 * as far.
 */
const UNDER_WAY_MS = 10_000

/** Tracks up to which seq one subscriber has every row. */
interface Follower {
  at: number
}

/** Listens for stored rows on the bus and reads the rows that it missed from the store. */
export class Hearing {
  readonly #store: EventStore
  readonly #recent = new RecentRows()
  readonly #wakeups = new Wakeups()
  readonly #stop = new AbortController()
  readonly #clock: NodeJS.Timeout
  readonly #unheard: (() => void) | undefined
  #subscription: Subscription | undefined
  #last = 0
  #newest = 0
  #heardAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined
  readonly #followers = new Set<Follower>()
  /** Counts how often the log was rewound. */
  #backs = 0
  /** The seq the log was rewound to, until a publisher announces rows from there on. */
  #back = Number.POSITIVE_INFINITY
  #backAt = Number.NEGATIVE_INFINITY

  constructor(store: EventStore) {
    this.#store = store
    this.#unheard = store.onTurned?.((back) => this.#turned(back))
    this.#clock = setInterval(() => {
      if (performance.now() - this.#heardAt > SILENT_MS) this.#look()
    }, LOOK_MS)
  }

  listen(connection: NatsConnection, subject: string): void {
    this.#subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null && this.#followers.size > 0) this.#hear(message.data)
      },
    })
  }

  /**
   * Yields rows after a seq in pages, without an end. It returns when the signal aborts or when the bus or
   * the store closes.
   */
  async *follow(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    const follower = { at: after }
    this.#followers.add(follower)
    this.#look()
    try {
      yield* this.#follow(follower, AbortSignal.any([signal, this.#stop.signal]))
    } finally {
      this.#followers.delete(follower)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#clock)
    this.#unheard?.()
    this.#stop.abort()
    this.#subscription?.unsubscribe()
    await this.#looking
  }

  async *#follow(follower: Follower, ended: AbortSignal): AsyncIterable<readonly EventRow[]> {
    while (!ended.aborted) {
      const { at } = follower
      const backs = this.#backs
      if (at >= this.#last) {
        await this.#wakeups.next(ended)
        continue
      }
      const heard = this.#recent.readAfter(at, PAGE)
      const page = heard === undefined ? await this.#read(at, ended) : { rows: heard, reached: at }
      if (page === undefined || ended.aborted) return
      // The rows that were read may have been lost in the rewind.
      if (this.#backs !== backs) continue
      if (page.rows.length === 0) this.#endsAt(page.reached)
      const newest = page.rows.at(-1)
      follower.at = newest?.seq ?? Math.max(at, page.reached)
      if (newest === undefined) continue
      this.#store.noteRow?.(newest)
      yield page.rows
    }
  }

  #hear(message: Uint8Array): void {
    const page = readable(message)
    if (page === undefined) return
    const { after, last } = page
    this.#heardAt = performance.now()
    if (after <= this.#back || this.#heardAt - this.#backAt > UNDER_WAY_MS)
      this.#back = Number.POSITIVE_INFINITY
    // Until then, these may be rows that no longer exist.
    if (this.#back === Number.POSITIVE_INFINITY) this.#take(page)
    this.#reached(last)
  }

  #take({ after, last, rows }: Page): void {
    if (after > this.#newest) this.#recent.clear()
    for (const row of rows)
      if (row.seq > this.#newest) {
        this.#recent.push(row)
        this.#newest = row.seq
      }
    this.#newest = Math.max(this.#newest, last)
  }

  #look(): void {
    if (this.#followers.size === 0) return
    this.#looking ??= this.#store
      .head()
      .then((head) => {
        if (head.ok) this.#reached(head.value.last)
      })
      .finally(() => {
        this.#looking = undefined
      })
  }

  #reached(last: number): void {
    if (last <= this.#last) return
    this.#last = last
    this.#wakeups.wake()
  }

  /** A standby that lacks the newest events may have taken over. */
  #turned(back: number | undefined): void {
    this.#recent.clear()
    if (back === undefined) return
    this.#backs += 1
    this.#back = Math.min(this.#back, back)
    this.#backAt = performance.now()
    this.#endsAt(back)
    for (const follower of this.#followers) follower.at = Math.min(follower.at, back)
    this.#look()
  }

  /**
   * A publisher may not have noticed yet that the log was rewound, so the store decides where the log ends.
   */
  #endsAt(last: number): void {
    if (last >= this.#last) return
    this.#recent.clear()
    this.#last = last
    this.#newest = Math.min(this.#newest, last)
  }

  /**
   * A database outage does not end a subscription. If no rows come back, every row up to `reached` was
   * forgotten.
   */
  async #read(after: number, ended: AbortSignal) {
    while (!ended.aborted) {
      const head = await this.#store.head()
      const page = head.ok ? await this.#store.read({ after, limit: PAGE }) : head
      if (head.ok && page.ok) return { rows: page.value.rows, reached: page.value.next ?? head.value.last }
      if (!page.ok && page.code === 'closed') return undefined
      await pause(AGAIN_MS, ended)
    }
    return undefined
  }
}

/** Ignores messages of other programs on the same subject. */
function readable(message: Uint8Array): Page | undefined {
  try {
    return unpackPage(message)
  } catch {
    return undefined
  }
}
