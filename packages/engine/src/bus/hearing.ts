import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { type EventRow, type Ledger, RecentRows, Wakers } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
import { type Page, unpackPage } from './payload.ts'
import { BEAT_MS } from './spread.ts'

const PAGE = 1_000
/** Who has heard nothing for so long looks into the ledger. */
const SILENT_MS = BEAT_MS * 3
const LOOK_MS = 500
const AGAIN_MS = 250
/** By then nothing of before the log went back is under way, also where whoever tells did not go back as far. */
const UNDER_WAY_MS = 10_000

/** Up to where somebody has everything. */
interface Follower {
  at: number
}

/** Hears which rows are stored, and asks the ledger for what it did not hear. */
export class Hearing {
  readonly #ledger: Ledger
  readonly #recent = new RecentRows()
  readonly #wakers = new Wakers()
  readonly #stop = new AbortController()
  readonly #clock: NodeJS.Timeout
  readonly #unheard: (() => void) | undefined
  #subscription: Subscription | undefined
  #last = 0
  #newest = 0
  #heardAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined
  readonly #followers = new Set<Follower>()
  /** How often the log went back. */
  #backs = 0
  /** Where it went back to, until somebody tells from there on. */
  #back = Number.POSITIVE_INFINITY
  #backAt = Number.NEGATIVE_INFINITY

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#unheard = ledger.onTurned?.((back) => this.#turned(back))
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

  /** Rows after a seq, in pages, for ever. Ends when the signal aborts, the bus or the ledger closes. */
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
        await this.#wakers.next(ended)
        continue
      }
      const heard = this.#recent.after(at, PAGE)
      const page = heard === undefined ? await this.#read(at, ended) : { rows: heard, reached: at }
      if (page === undefined || ended.aborted) return
      // What was read may never have been.
      if (this.#backs !== backs) continue
      if (page.rows.length === 0) this.#endsAt(page.reached)
      follower.at = page.rows.at(-1)?.seq ?? Math.max(at, page.reached)
      if (page.rows.length > 0) yield page.rows
    }
  }

  #hear(message: Uint8Array): void {
    const page = readable(message)
    if (page === undefined) return
    const { after, last } = page
    this.#heardAt = performance.now()
    if (after <= this.#back || this.#heardAt - this.#backAt > UNDER_WAY_MS)
      this.#back = Number.POSITIVE_INFINITY
    // Before that they may be rows that never were.
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
    this.#looking ??= this.#ledger
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
    this.#wakers.wake()
  }

  /** A standby that lacks the last events may have taken over. */
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

  /** Whoever tells of rows may not have noticed yet that the log went back: what it has is what the ledger says. */
  #endsAt(last: number): void {
    if (last >= this.#last) return
    this.#recent.clear()
    this.#last = last
    this.#newest = Math.min(this.#newest, last)
  }

  /** A database that is away for a while ends no subscription. Where nothing comes, all up to `reached` was forgotten. */
  async #read(after: number, ended: AbortSignal) {
    while (!ended.aborted) {
      const head = await this.#ledger.head()
      const page = head.ok ? await this.#ledger.read({ after, limit: PAGE }) : head
      if (head.ok && page.ok) return { rows: page.value.rows, reached: page.value.next ?? head.value.last }
      if (!page.ok && page.code === 'closed') return undefined
      await pause(AGAIN_MS, ended)
    }
    return undefined
  }
}

/** Whatever somebody else says there is none of ours. */
function readable(message: Uint8Array): Page | undefined {
  try {
    return unpackPage(message)
  } catch {
    return undefined
  }
}
