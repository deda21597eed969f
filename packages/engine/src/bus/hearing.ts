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
  #followers = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#unheard = ledger.onTurned?.(() => this.#recent.clear())
    this.#clock = setInterval(() => {
      if (performance.now() - this.#heardAt > SILENT_MS) this.#look()
    }, LOOK_MS)
  }

  listen(connection: NatsConnection, subject: string): void {
    this.#subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null && this.#followers > 0) this.#hear(message.data)
      },
    })
  }

  /** Rows after a seq, in pages, for ever. Ends when the signal aborts, the bus or the ledger closes. */
  async *follow(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    this.#followers += 1
    this.#look()
    try {
      yield* this.#follow(after, AbortSignal.any([signal, this.#stop.signal]))
    } finally {
      this.#followers -= 1
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#clock)
    this.#unheard?.()
    this.#stop.abort()
    this.#subscription?.unsubscribe()
    await this.#looking
  }

  async *#follow(after: number, ended: AbortSignal): AsyncIterable<readonly EventRow[]> {
    let at = after
    while (!ended.aborted) {
      if (at >= this.#last) {
        await this.#wakers.next(ended)
        continue
      }
      const heard = this.#recent.after(at, PAGE)
      const page = heard === undefined ? await this.#read(at, ended) : { rows: heard, reached: at }
      if (page === undefined || ended.aborted) return
      // Where nothing comes all that follows was forgotten.
      at = page.rows.at(-1)?.seq ?? page.reached
      if (page.rows.length > 0) yield page.rows
    }
  }

  #hear(message: Uint8Array): void {
    const page = readable(message)
    if (page === undefined) return
    const { after, last, rows } = page
    this.#heardAt = performance.now()
    if (after > this.#newest) this.#recent.clear()
    for (const row of rows)
      if (row.seq > this.#newest) {
        this.#recent.push(row)
        this.#newest = row.seq
      }
    this.#newest = Math.max(this.#newest, last)
    this.#reached(last)
  }

  #look(): void {
    if (this.#followers === 0) return
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

  /** A database that is away for a while ends no subscription. */
  async #read(after: number, ended: AbortSignal) {
    const reached = this.#last
    while (!ended.aborted) {
      const page = await this.#ledger.read({ after, limit: PAGE })
      if (page.ok) return { rows: page.value.rows, reached: page.value.next ?? reached }
      if (page.code === 'closed') return undefined
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
