import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '@panoptes/engine/waiting'
import type { Client } from 'pg'
import type { EventRow, Head } from '../port.ts'
import { RecentRows } from '../recent-rows.ts'
import { Wakers } from '../wakers.ts'
import { type Database, KEEP_ALIVE_MS, type Row } from './database.ts'
import { pageOf, rowOf } from './event-reader.ts'
import { OwnClient } from './own-client.ts'
import { Sums, sumAt, sumOf } from './sums.ts'

const PAGE = 1_000
const pageAfter = (seq: number): string =>
  pageOf(`SELECT seq, body FROM log WHERE seq > ${seq} ORDER BY seq LIMIT ${PAGE}`)
/** A word that got lost with its connection is made up for by looking. */
const LOOK_MS = 500
const AGAIN_MS = 250
/** A server that takes longer to let somebody in, or to let them go, is not there. */
const CONNECT_MS = 10_000
const LEAVE_MS = 1_000
/** Where words come faster than this, what they tell of is read together: every process that follows asks for each of them. */
const PACE_MS = 10
const headAfter = (seq: number): string =>
  `SELECT last, base, turn, (${sumAt(seq)}) AS sum, (${sumAt('head.last')}) AS last_sum FROM head`

/** Up to where somebody has everything. */
interface Follower {
  at: number
}

interface Newest {
  readonly head?: Row | undefined
  readonly rows: readonly EventRow[]
  readonly sum?: string | undefined
}

const known = (sum: Row[string]): string | undefined => (typeof sum === 'string' ? sum : undefined)

/** Follows the head of the log, whoever writes: a notification wakes it, and what is new is read from the table. */
export class Tail {
  readonly #database: Database
  readonly #url: string
  readonly #turned: () => Promise<void>
  readonly #recent = new RecentRows()
  readonly #wakers = new Wakers()
  readonly #followers = new Set<Follower>()
  readonly #stop = new AbortController()
  readonly #hearers = new Set<(back?: number) => void>()
  readonly #sums: Sums
  #head: Head
  #listener: Client | undefined
  readonly #listening: Promise<void>
  #looking: Promise<void> | undefined
  #isStale = false
  #turn: number | undefined
  /** How often the log went back. */
  #backs = 0
  #clock: NodeJS.Timeout

  /** `turned` hears that something changed other than by an append. */
  constructor(database: Database, url: string, head: Head, turned: () => Promise<void>) {
    this.#turned = turned
    this.#database = database
    this.#url = url
    this.#head = head
    this.#sums = new Sums(head.last)
    this.#clock = setInterval(() => this.#look(), LOOK_MS)
    this.#listening = this.#listen()
  }

  /** Somebody may have stored something; while nobody follows, that is looked up when somebody does. */
  look(): void {
    if (this.#followers.size > 0) this.#look()
  }

  #look(): void {
    this.#isStale = true
    this.#looking ??= this.#catchUp()
      .then(() => (this.#isStale ? sleep(PACE_MS) : undefined))
      .finally(() => {
        this.#looking = undefined
        if (this.#isStale && !this.#stop.signal.aborted) this.#look()
      })
  }

  onTurned(heard: (back?: number) => void): () => void {
    this.#hearers.add(heard)
    return () => void this.#hearers.delete(heard)
  }

  /** Rows are not what they were. */
  clear(): void {
    this.#recent.clear()
  }

  /** Rows after a seq, in pages, for ever. Ends when the signal aborts or the ledger closes. */
  async *follow(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    const follower = { at: after }
    this.#followers.add(follower)
    this.look()
    try {
      yield* this.#follow(follower, signal)
    } finally {
      this.#followers.delete(follower)
      if (this.#followers.size === 0) this.clear()
    }
  }

  async *#follow(follower: Follower, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    const ended = AbortSignal.any([signal, this.#stop.signal])
    while (!ended.aborted) {
      const { at } = follower
      const backs = this.#backs
      if (at >= this.#head.last) {
        await this.#wakers.next(ended)
        continue
      }
      const reached = this.#head.last
      const rows = this.#recent.after(at, PAGE) ?? (await this.#page(at, ended))
      if (rows === undefined || ended.aborted) return
      // What was read may never have been.
      if (this.#backs !== backs) continue
      // Where nothing comes all that follows was forgotten.
      follower.at = rows.at(-1)?.seq ?? reached
      if (rows.length > 0) yield rows
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#clock)
    this.#stop.abort()
    this.#wakers.wake()
    await this.#looking
    void this.#listener?.end().catch(() => undefined)
    // One that is only being let in leaves as soon as it is.
    await Promise.race([this.#listening, sleep(LEAVE_MS, undefined, { ref: false })])
  }

  async #catchUp(): Promise<void> {
    this.#isStale = false
    const seen = this.#head.last
    const found = await this.#newest(seen).catch(() => undefined)
    if (found?.head === undefined) return
    const { head, rows, sum } = found
    const turn = Number(head.turn)
    const last = Math.max(Number(head.last), rows.at(-1)?.seq ?? 0)
    let back: number | undefined
    // A standby that lacks the last events took over: others will have their numbers, or have them already.
    if (last < seen || this.#sums.isOther(seen, known(head.sum))) {
      back = await this.#sums.common(this.#database, last).catch(() => undefined)
      if (back === undefined) return
      this.#goBack(back)
    } else this.#remember(seen, known(head.sum))
    if (back !== undefined || (this.#turn !== undefined && this.#turn !== turn)) {
      this.clear()
      for (const heard of this.#hearers) heard(back)
      await this.#turned().catch(() => undefined)
    }
    // Also where nobody reads: by the next look others may have gone on beyond it.
    this.#remember(last, rows.at(-1)?.seq === last ? sum : known(head.last_sum))
    this.#turn = turn
    for (const row of rows) this.#recent.push(row)
    const isMore = last > this.#head.last
    this.#head = { first: Number(head.base) + 1, last }
    if (isMore) this.#wakers.wake()
  }

  #remember(seq: number, sum: string | undefined): void {
    if (sum !== undefined) this.#sums.see(seq, sum)
  }

  #goBack(last: number): void {
    this.#backs += 1
    this.#head = { ...this.#head, last }
    for (const follower of this.#followers) follower.at = Math.min(follower.at, last)
  }

  /** The head, and what everybody who waits is about to read, in one question; `sum` is of the last of it. */
  async #newest(after: number): Promise<Newest> {
    if (this.#wakers.size === 0) return { head: await this.#database.row(headAfter(after)), rows: [] }
    const [[head] = [], rows = []] = await this.#database.connected((connection) =>
      connection.all(`${headAfter(after)}; ${pageAfter(after)}`),
    )
    const newest = rows.at(-1)
    return {
      head,
      rows: rows.map(({ seq, body }) => rowOf(Number(seq), String(body))),
      sum: newest && sumOf(String(newest.body)),
    }
  }

  async #rows(after: number): Promise<readonly EventRow[]> {
    const found = await this.#database.rows(pageAfter(after))
    return found.map(({ seq, body }) => rowOf(Number(seq), String(body)))
  }

  /** A database that is away for a while ends no subscription. */
  async #page(after: number, ended: AbortSignal): Promise<readonly EventRow[] | undefined> {
    while (!ended.aborted) {
      try {
        return await this.#rows(Math.max(after, this.#head.first - 1))
      } catch {
        await new Promise((wait) => setTimeout(wait, AGAIN_MS))
      }
    }
    return undefined
  }

  async #listen(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const client = new OwnClient({
        connectionString: this.#url,
        application_name: 'panoptes tail',
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: CONNECT_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      })
      const gone = new Promise<void>((resolve) => {
        client.on('error', () => resolve())
        client.on('end', () => resolve())
      })
      client.on('notification', () => this.look())
      try {
        await client.connect()
        this.#listener = client
        if (this.#stop.signal.aborted) return void (await client.end())
        await client.query(`LISTEN ${this.#database.schema}`)
        this.look()
        await gone
      } catch {
        await client.end().catch(() => undefined)
      }
      await pause(AGAIN_MS, this.#stop.signal)
    }
  }
}
