import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { pause } from '@panoptes/engine/abortable'
import type { Client } from 'pg'
import { AGAIN_MS, type Hold, Leading } from '../leader-election.ts'
import type { StoreJob } from '../port.ts'
import { NOTICED, READS_ONLY } from './database.ts'
import { LOCKS } from './locks.ts'
import { OwnClient } from './primary-client.ts'

/**
 * Waiting processes try to lead this often, and the leader checks as often that its connection still works.
 */
const LOOK_MS = 500
/** A connection that is silent for longer is given up, well before the server releases its locks. */
const SILENT_MS = 4_000
const MOST_INT = 2 ** 31 - 1

interface Candidate {
  readonly job: StoreJob
  readonly got: (hold: Hold) => void
}

/**
 * Elects one process per job by advisory locks on a connection that serves nothing else: the locks are
 * released however the process or its connection ends. The same connection shows that this process is alive.
 */
export class Leads {
  /** The id of this process for as long as it has the store open. */
  readonly id = randomInt(1, MOST_INT)
  readonly #url: string
  readonly #schema: string
  readonly #stop = new AbortController()
  readonly #leading = new Leading((job, ended) => this.#take(job, ended))
  readonly #candidates = new Set<Candidate>()
  readonly #led = new Map<StoreJob, AbortController>()
  #client: Client | undefined
  #running: Promise<void> | undefined
  #lastQuery: Promise<unknown> = Promise.resolve()
  #here = Promise.withResolvers<void>()
  #wake: () => void = () => undefined

  constructor(url: string, schema: string) {
    this.#url = url
    this.#schema = schema
  }

  lead(job: StoreJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    return this.#leading.lead(job, work, AbortSignal.any([signal, this.#stop.signal]))
  }

  /** Resolves once others can see that this process is alive, or when that takes too long. */
  async present(): Promise<void> {
    this.#run()
    if (this.#client) return
    const patience = new AbortController()
    await Promise.race([this.#here.promise, pause(SILENT_MS, patience.signal)])
    patience.abort()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#wake()
    this.#here.resolve()
    await this.#running
  }

  #take(job: StoreJob, ended: AbortSignal): Promise<Hold | undefined> {
    if (ended.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (hold: Hold | undefined) => {
        this.#candidates.delete(candidate)
        ended.removeEventListener('abort', giveUp)
        resolve(hold)
      }
      const giveUp = () => settle(undefined)
      const candidate = { job, got: settle }
      this.#candidates.add(candidate)
      ended.addEventListener('abort', giveUp)
      this.#run()
      this.#wake()
    })
  }

  #run(): void {
    this.#running ??= this.#keepConnected()
  }

  async #keepConnected(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const client = new OwnClient({
        connectionString: this.#url,
        application_name: `panoptes lead ${process.pid}@${hostname()}`.slice(0, 63),
        connectionTimeoutMillis: SILENT_MS,
        query_timeout: SILENT_MS,
        keepAlive: true,
        options: `${NOTICED} -c statement_timeout=0`,
      })
      const gone = new AbortController()
      client.on('error', () => gone.abort())
      client.on('end', () => gone.abort())
      gone.signal.addEventListener('abort', () => this.#lose())
      try {
        await client.connect()
        await this.#serve(client, gone.signal)
      } catch {
        // The next connection starts fresh.
      }
      this.#lose()
      await Promise.race([client.end().catch(() => undefined), sleep(SILENT_MS, undefined, { ref: false })])
      await pause(AGAIN_MS, this.#stop.signal)
    }
  }

  async #serve(client: Client, gone: AbortSignal): Promise<void> {
    const { rows } = await this.#ask(client, 'SELECT pg_try_advisory_lock($1, $2) AS taken', [
      LOCKS.hub,
      this.id,
    ])
    // An earlier connection of this process may still hold the lock for a moment.
    if (rows[0]?.taken !== true) return
    this.#client = client
    this.#here.resolve()
    const ended = AbortSignal.any([gone, this.#stop.signal])
    while (!ended.aborted) {
      await this.#try(client)
      const woken = new AbortController()
      this.#wake = () => woken.abort()
      await pause(LOOK_MS, AbortSignal.any([ended, woken.signal]))
    }
  }

  /** Tries every wanted lock in one query, which also proves that the connection works. */
  async #try(client: Client): Promise<void> {
    const wanted = new Map([...this.#candidates].map((one) => [one.job, one]))
    const { rows } = await this.#ask(
      client,
      `SELECT ${READS_ONLY} AS reads_only, job, taken FROM (SELECT) AS server LEFT JOIN
       (SELECT job, pg_try_advisory_lock($1, hashtext($2 || '/' || job)) AS taken FROM unnest($3::text[]) AS job) AS jobs ON true`,
      [LOCKS.lead, this.#schema, [...wanted.keys()]],
    )
    // A standby hands out its own locks, so a leader there would lead alongside another one.
    if (rows[0]?.reads_only === true) throw new Error('the server takes no writes')
    for (const { job, taken } of rows) {
      if (taken !== true) continue
      const candidate = wanted.get(job)
      if (candidate && this.#candidates.has(candidate)) candidate.got(this.#hold(candidate.job))
      else await this.#free(client, job)
    }
  }

  #hold(job: StoreJob): Hold {
    const lost = new AbortController()
    this.#led.set(job, lost)
    const client = this.#client
    return {
      signal: lost.signal,
      release: async () => {
        this.#led.delete(job)
        if (!lost.signal.aborted && client) await this.#free(client, job)
      },
    }
  }

  async #free(client: Client, job: StoreJob): Promise<void> {
    // A broken connection has already released the lock.
    const unlock = `SELECT pg_advisory_unlock($1, hashtext($2 || '/' || $3))`
    await this.#ask(client, unlock, [LOCKS.lead, this.#schema, job]).catch(() => undefined)
  }

  /** Runs one query at a time, as a connection requires. */
  #ask(client: Client, sql: string, values: unknown[]) {
    const query = this.#lastQuery.then(() => client.query(sql, values))
    this.#lastQuery = query.catch(() => undefined)
    return query
  }

  #lose(): void {
    if (this.#client) {
      this.#client = undefined
      if (!this.#stop.signal.aborted) this.#here = Promise.withResolvers()
    }
    for (const lost of this.#led.values()) lost.abort()
    this.#led.clear()
  }
}
