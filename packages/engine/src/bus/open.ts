import { setTimeout } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { EventRow, Ledger } from '@panoptes/engine/ledger'
import type { NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { failureOf, shownBus } from './failures.ts'
import { Hearing } from './hearing.ts'
import { Link } from './link.ts'
import { idOf, makeId, type Store } from './name-of.ts'
import { type Names, namesOf } from './names.ts'
import type { Bus, BusHealth } from './port.ts'
import { Publisher } from './publisher.ts'
import { makeStreams, REPLICAS } from './streams.ts'
import { write } from './writer.ts'

const MOST_BYTES = 1_073_741_824
const PATIENCE_MS = 5_000
const LOOK_MS = 1_000
/** A server that was away when a stream was made takes its copy later. */
const COPY_MS = 5_000

export interface BusOptions {
  /** `nats://…`, or several with commas between them. */
  readonly url: string
  readonly space: string
  readonly ledger: Ledger
  /** Which tables the ledger is in: a copy of them elsewhere is another ledger to the bus. */
  readonly store: Store
  /** The most that may wait to be stored. */
  readonly mostBytes?: number | undefined
  /** Hears of events that the ledger would not have. */
  readonly warn?: ((text: string) => void) | undefined
}

/**
 * A bus that does not answer yet is opened all the same: until it does, nothing can be published, and rows come from the ledger. One
 * that refuses is not.
 */
export async function openBus(options: BusOptions): Promise<Result<Bus>> {
  const bus = new NatsBus(options)
  const problem = await bus.begin()
  if (problem?.code !== 'invalid') return success(bus)
  await bus.close()
  return problem
}

const UNKNOWN: Omit<BusHealth, 'where'> = {
  waiting: 0,
  waitingBytes: 0,
  mostBytes: 0,
  lagMs: 0,
  replicas: 0,
  isWriter: false,
  isTaking: false,
  refused: 0,
  problem: null,
}

class NatsBus implements Bus {
  readonly #options: BusOptions
  readonly #where: string
  readonly #stop = new AbortController()
  readonly #link: Link
  readonly #hearing: Hearing
  readonly #publisher: Publisher
  readonly #clock: NodeJS.Timeout
  readonly #leading: Promise<void>
  readonly #names: Promise<Names>
  readonly #mostBytes: number
  #isListening = false
  #isWriter = false
  #refused = 0
  #storeProblem: string | null = null
  #seen = UNKNOWN
  #copiedAt = Number.NEGATIVE_INFINITY
  #closing: Promise<void> | undefined

  constructor(options: BusOptions) {
    const { url, ledger } = options
    this.#options = options
    this.#mostBytes = options.mostBytes ?? MOST_BYTES
    this.#where = shownBus(url)
    this.#names = this.#named()
    this.#hearing = new Hearing(ledger)
    this.#link = new Link(url, this.#where, (connection) => this.#prepare(connection))
    this.#publisher = new Publisher({
      where: this.#where,
      names: this.#names,
      connection: () => this.#link.now?.connection,
      missing: () => this.#link.again(),
    })
    this.#leading = ledger.lead('writer', (signal) => this.#lead(signal), this.#stop.signal)
    this.#clock = setInterval(() => void this.#look(), LOOK_MS)
    this.#clock.unref()
  }

  /** What is in the way after a while, if anything is. */
  async begin() {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await setTimeout(20)) {
      if (this.#link.now) return null
      if (this.#link.problem !== null) break
    }
    return this.#link.problem
  }

  async publish(events: readonly NewEvent[]): Promise<Result<null>> {
    if (this.#closing) return failure('closed', `The bus at ${this.#where} is closed.`)
    return this.#publisher.publish(events)
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    return this.#hearing.follow(after, signal)
  }

  health(): BusHealth {
    return {
      ...this.#seen,
      where: this.#where,
      isWriter: this.#isWriter,
      isTaking: this.#link.now !== undefined && this.#link.problem === null && this.#seen.problem === null,
      refused: this.#refused,
      problem: this.#link.problem?.message ?? this.#storeProblem ?? this.#seen.problem,
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    clearInterval(this.#clock)
    await this.#publisher.drain()
    this.#stop.abort()
    await Promise.all([this.#leading, this.#hearing.close()])
    await this.#link.close()
  }

  async #named(): Promise<Names> {
    const { space, ledger, store } = this.#options
    return namesOf(space, (await idOf(ledger, store, this.#stop.signal)) ?? '')
  }

  async #prepare(connection: NatsConnection): Promise<void> {
    const names = await this.#names
    if (this.#stop.signal.aborted) return
    await makeStreams(await jetstreamManager(connection), names, this.#mostBytes)
    if (!this.#isListening) this.#hearing.listen(connection, names.rows)
    this.#isListening = true
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { ledger, store, warn } = this.#options
    this.#isWriter = true
    try {
      await makeId(ledger, store, signal)
      if (signal.aborted) return
      const names = await this.#names
      const refused = (what: string, why: string) => {
        this.#refused += 1
        warn?.(`${what} could not be stored: ${why} It is kept in the stream ${names.refusedStream}.`)
      }
      const problem = (text: string | null) => {
        this.#storeProblem = text
      }
      await write({ ledger, link: this.#link, names, refused, problem }, signal)
    } finally {
      this.#isWriter = false
      this.#storeProblem = null
    }
  }

  async #look(): Promise<void> {
    const connection = this.#link.now?.connection
    if (connection === undefined) return
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false })
      const names = await this.#names
      const { state, config, cluster } = await manager.streams.info(names.stream)
      this.#seen = {
        ...UNKNOWN,
        waiting: state.messages,
        waitingBytes: state.bytes,
        mostBytes: config.max_bytes,
        lagMs: state.messages === 0 ? 0 : Math.max(0, Date.now() - Date.parse(state.first_ts)),
        replicas: config.num_replicas,
      }
      const isShort = cluster !== undefined && config.num_replicas < REPLICAS
      if (!isShort || performance.now() - this.#copiedAt < COPY_MS) return
      this.#copiedAt = performance.now()
      await makeStreams(manager, names, this.#mostBytes)
    } catch (error) {
      this.#seen = { ...this.#seen, problem: failureOf(error, this.#where).message }
    }
  }
}
