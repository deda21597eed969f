import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '@panoptes/engine/abortable'
import type { Client } from 'pg'
import type { EventRow, Head } from '../port.ts'
import { RecentRows } from '../recent-rows.ts'
import { Wakeups } from '../wakeups.ts'
import { type Database, KEEP_ALIVE_MS, type Row } from './database.ts'
import { eventRow, pageQuery, rowBody } from './event-reader.ts'
import { bodyHash, Sums, sumAt } from './log-checksum.ts'
import { OwnClient } from './primary-client.ts'

const PAGE = 1_000
const pageAfter = (seq: number): string =>
  pageQuery(`SELECT seq, body FROM log WHERE seq > ${seq} ORDER BY seq LIMIT ${PAGE}`)
/** The log is checked this often, in case a notification was lost with its connection. */
const LOOK_MS = 500
const AGAIN_MS = 250
/** A server that takes longer to accept or close a connection counts as unreachable. */
const CONNECT_MS = 10_000
const LEAVE_MS = 1_000
/**
 * When notifications come faster than this, their rows are read together, because every following process
 * reads after each notification.
 */
const PACE_MS = 10
const headAfter = (seq: number): string =>
  `SELECT last, base, turn, (${sumAt(seq)}) AS sum, (${sumAt('head.last')}) AS last_sum FROM head`

/** Tracks up to which seq one subscriber has every row. */
interface Follower {
  at: number
}

interface Newest {
  readonly head?: Row | undefined
  readonly rows: readonly EventRow[]
  readonly sum?: string | undefined
}

const toSum = (sum: Row[string]): string | undefined => (typeof sum === 'string' ? sum : undefined)

/**
 * Follows the end of the log, whoever writes: a notification wakes it, and it reads the new rows from the
 * table.
 */
export class Tail {
  readonly #database: Database
  readonly #url: string
  readonly #turned: () => Promise<void>
  readonly #recent = new RecentRows()
  readonly #wakeups = new Wakeups()
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
  /** Counts how often the log was rewound. */
  #backs = 0
  #clock: NodeJS.Timeout

  /** `turned` is called when rows changed other than by an append. */
  constructor(database: Database, url: string, head: Head, turned: () => Promise<void>) {
    this.#turned = turned
    this.#database = database
    this.#url = url
    this.#head = head
    this.#sums = new Sums(head.last)
    this.#clock = setInterval(() => this.#look(), LOOK_MS)
    this.#listening = this.#listen()
  }

  /** Checks for new rows. While nobody follows, the check waits until somebody does. */
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

  /** Checks with the next look at the log that a row which came from elsewhere is still stored. */
  note(row: EventRow): void {
    if (row.seq > this.#head.last) this.#sums.note(row.seq, bodyHash(rowBody(row)))
  }

  /** Drops the cached rows because stored rows have changed. */
  clear(): void {
    this.#recent.clear()
  }

  /**
   * Yields rows after a seq in pages, without an end. It returns when the signal aborts or the store closes.
   */
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
        await this.#wakeups.next(ended)
        continue
      }
      const reached = this.#head.last
      const rows = this.#recent.readAfter(at, PAGE) ?? (await this.#page(at, ended))
      if (rows === undefined || ended.aborted) return
      // The rows that were read may have been lost in the rewind.
      if (this.#backs !== backs) continue
      // If no rows come back, everything up to `reached` was forgotten.
      follower.at = rows.at(-1)?.seq ?? reached
      if (rows.length > 0) yield rows
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#clock)
    this.#stop.abort()
    this.#wakeups.wake()
    await this.#looking
    void this.#listener?.end().catch(() => undefined)
    // A connection that is still being made closes as soon as it is open.
    await Promise.race([this.#listening, sleep(LEAVE_MS, undefined, { ref: false })])
  }

  async #catchUp(): Promise<void> {
    this.#isStale = false
    const seen = this.#head.last
    const noted = this.#sums.takeNoted()
    const found = await this.#newest(seen).catch(() => undefined)
    const lacks = await this.#sums.isMissingAny(this.#database, noted).catch(() => undefined)
    if (found?.head === undefined || lacks === undefined) return this.#sums.restoreNoted(noted)
    const { head, rows, sum } = found
    const turn = Number(head.turn)
    const last = Math.max(Number(head.last), rows.at(-1)?.seq ?? 0)
    let back: number | undefined
    // A standby that lacks the newest events took over: new events will reuse their seqs, or already have.
    if (lacks || last < seen || this.#sums.isOther(seen, toSum(head.sum))) {
      back = await this.#sums.common(this.#database, last).catch(() => undefined)
      if (back === undefined) return
      this.#goBack(back)
    } else this.#remember(seen, toSum(head.sum))
    if (back !== undefined || (this.#turn !== undefined && this.#turn !== turn)) {
      this.clear()
      for (const heard of this.#hearers) heard(back)
      await this.#turned().catch(() => undefined)
    }
    // The end is recorded even when nobody reads, because others may have appended past it by the next check.
    this.#remember(last, rows.at(-1)?.seq === last ? sum : toSum(head.last_sum))
    this.#turn = turn
    for (const row of rows) this.#recent.push(row)
    const isMore = last > this.#head.last
    this.#head = { first: Number(head.base) + 1, last }
    if (isMore) this.#wakeups.wake()
  }

  #remember(seq: number, sum: string | undefined): void {
    if (sum !== undefined) this.#sums.see(seq, sum)
  }

  #goBack(last: number): void {
    this.#backs += 1
    this.#head = { ...this.#head, last }
    for (const follower of this.#followers) follower.at = Math.min(follower.at, last)
  }

  /**
   * Reads the head and the rows that all waiting subscribers need in one query. `sum` belongs to the last
   * row.
   */
  async #newest(after: number): Promise<Newest> {
    if (this.#wakeups.size === 0) return { head: await this.#database.row(headAfter(after)), rows: [] }
    const [[head] = [], rows = []] = await this.#database.withConnection((connection) =>
      connection.all(`${headAfter(after)}; ${pageAfter(after)}`),
    )
    const newest = rows.at(-1)
    return {
      head,
      rows: rows.map(({ seq, body }) => eventRow(Number(seq), String(body))),
      sum: newest && bodyHash(String(newest.body)),
    }
  }

  async #rows(after: number): Promise<readonly EventRow[]> {
    const found = await this.#database.rows(pageAfter(after))
    return found.map(({ seq, body }) => eventRow(Number(seq), String(body)))
  }

  /** A database outage does not end a subscription. */
  async #page(after: number, ended: AbortSignal): Promise<readonly EventRow[] | undefined> {
    while (!ended.aborted) {
      try {
        return await this.#rows(Math.max(after, this.#head.first - 1))
      } catch {
        await pause(AGAIN_MS)
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
