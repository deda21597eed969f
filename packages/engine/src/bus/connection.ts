import type { NatsConnection } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/abortable'
import type { Failure } from '@panoptes/schema'
import { connectTo } from './connect.ts'
import { toFailure } from './failures.ts'

const AGAIN_MS = 500

/** A connection while it is usable. `lost` aborts when it no longer is. */
export interface Linked {
  readonly connection: NatsConnection
  readonly lost: AbortSignal
}

/**
 * Keeps the connection to the bus alive: it finds the server, prepares the streams, and starts over after a
 * loss.
 */
export class Link {
  readonly #where: string
  readonly #prepare: (connection: NatsConnection) => Promise<void>
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  readonly #waiting = new Set<() => void>()
  #connection: NatsConnection | undefined
  #linked: { readonly connection: NatsConnection; readonly lost: AbortController } | undefined
  #preparing: Promise<void> | undefined
  /** The reason why there is no connection, or null. */
  problem: Failure | null = null

  /** `prepare` creates the streams that have to exist before anybody uses a connection. */
  constructor(url: string, where: string, prepare: (connection: NatsConnection) => Promise<void>) {
    this.#where = where
    this.#prepare = prepare
    this.#running = this.#run(url)
  }

  get now(): Linked | undefined {
    return this.#linked && { connection: this.#linked.connection, lost: this.#linked.lost.signal }
  }

  /** Waits for a connection. Returns undefined when the signal aborts first. */
  async next(signal: AbortSignal): Promise<Linked | undefined> {
    while (!signal.aborted && !this.#stop.signal.aborted) {
      if (this.now) return this.now
      await new Promise<void>((resolve) => {
        const done = () => {
          this.#waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        this.#waiting.add(done)
        signal.addEventListener('abort', done)
      })
    }
    return undefined
  }

  /** Prepares again, because the streams may be gone although the connection still works. */
  again(): void {
    this.#preparing ??= this.#ready().finally(() => {
      this.#preparing = undefined
    })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#lose(null)
    await this.#preparing
    await this.#connection?.close()
    await this.#running
  }

  async #run(url: string): Promise<void> {
    const connection = await connectTo(url, this.#stop.signal, (error) => {
      this.problem = toFailure(error, this.#where)
    })
    if (connection === undefined) return
    this.#connection = connection
    if (this.#stop.signal.aborted) return connection.close()
    this.again()
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') this.#lose(toFailure(new Error('connection lost'), this.#where))
      else if (status.type === 'reconnect') this.again()
    }
  }

  async #ready(): Promise<void> {
    const connection = this.#connection
    while (connection !== undefined && !this.#stop.signal.aborted && !connection.isClosed()) {
      try {
        await this.#prepare(connection)
        this.problem = null
        this.#linked ??= { connection, lost: new AbortController() }
        this.#wake()
        return
      } catch (error) {
        this.problem = toFailure(error, this.#where)
        await pause(AGAIN_MS, this.#stop.signal)
      }
    }
  }

  #lose(why: Failure | null): void {
    this.problem = why
    const lost = this.#linked?.lost
    this.#linked = undefined
    lost?.abort()
    if (this.#stop.signal.aborted) this.#wake()
  }

  #wake(): void {
    for (const waiting of [...this.#waiting]) waiting()
  }
}
