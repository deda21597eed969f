import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/abortable'
import type { EventRow, EventStore } from '@panoptes/engine/store'
import type { NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { formatBus, Link, toFailure } from './connection.ts'
import type { Bus, BusHealth } from './port.ts'
import { Publisher } from './publisher.ts'
import { busNames, makeStreams, type Names, REPLICAS } from './streams.ts'
import { Hearing } from './subscriber.ts'
import { write } from './writer.ts'

const MOST_BYTES = 1_073_741_824
const START_TIMEOUT_MS = 5_000
const LOOK_MS = 1_000
/** The bus retries this often to add copies on a server that was away when the stream was created. */
const COPY_MS = 5_000

export interface BusOptions {
  /** One `nats://…` address, or several separated by commas. */
  readonly url: string
  readonly space: string
  readonly store: EventStore
  /** Identifies the tables of the store. The bus treats a copy of the tables elsewhere as another store. */
  readonly readStoreId: StoreIdReader
  /** The most bytes that may wait to be stored. */
  readonly mostBytes?: number | undefined
  /** This is called when the store rejects an event. */
  readonly warn?: ((text: string) => void) | undefined
}

/**
 * Opens the bus even if it does not answer yet: until it does, publishing fails and rows come from the store.
 * Opening fails only when the server refuses the connection.
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
    const { url, store } = options
    this.#options = options
    this.#mostBytes = options.mostBytes ?? MOST_BYTES
    this.#where = formatBus(url)
    this.#names = this.#named()
    this.#hearing = new Hearing(store)
    this.#link = new Link(url, this.#where, (connection) => this.#prepare(connection))
    this.#publisher = new Publisher({
      where: this.#where,
      names: this.#names,
      connection: () => this.#link.now?.connection,
      missing: () => this.#link.again(),
    })
    this.#leading = store.lead('writer', (signal) => this.#lead(signal), this.#stop.signal)
    this.#clock = setInterval(() => void this.#look(), LOOK_MS)
    this.#clock.unref()
  }

  /** Returns the problem that still prevents a connection after a short wait, if there is one. */
  async begin() {
    for (const end = performance.now() + START_TIMEOUT_MS; performance.now() < end; await setTimeout(20)) {
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
    const { space, store, readStoreId } = this.#options
    return busNames(space, (await waitForId(store, readStoreId, this.#stop.signal)) ?? '')
  }

  async #prepare(connection: NatsConnection): Promise<void> {
    const names = await this.#names
    if (this.#stop.signal.aborted) return
    await makeStreams(await jetstreamManager(connection), names, this.#mostBytes)
    if (!this.#isListening) this.#hearing.listen(connection, names.rows)
    this.#isListening = true
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { store, readStoreId, warn } = this.#options
    this.#isWriter = true
    try {
      await makeId(store, readStoreId, signal)
      if (signal.aborted) return
      const names = await this.#names
      const refused = (what: string, why: string) => {
        this.#refused += 1
        warn?.(`${what} could not be stored: ${why} It stays in the stream ${names.refusedStream}.`)
      }
      const problem = (text: string | null) => {
        this.#storeProblem = text
      }
      await write({ store, link: this.#link, names, refused, problem }, signal)
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
      this.#seen = { ...this.#seen, problem: toFailure(error, this.#where).message }
    }
  }
}

const ID = 'bus'
/**
 * Names the tables that the bus id was made for, because a copy of the tables elsewhere carries the marks
 * too.
 */
const STORE = 'bus-store'
const AGAIN_MS = 100

/** Returns the identity of the store's tables. */
type StoreIdReader = () => Promise<Result<string>>

interface IdRecord {
  readonly storeId: string
  /**
   * This is undefined when no id exists yet, or when the id belongs to the tables that these were copied
   * from.
   */
  readonly id: string | undefined
}

async function readIdRecord(
  store: Pick<EventStore, 'marks'>,
  readStoreId: StoreIdReader,
): Promise<IdRecord | undefined> {
  const [currentStore, marks] = [await readStoreId(), await store.marks([ID, STORE])]
  if (!currentStore.ok || !marks.ok) return undefined
  const isOurs = marks.value[STORE] === currentStore.value
  return { storeId: currentStore.value, id: isOurs ? marks.value[ID] : undefined }
}

/**
 * Creates the id once and stores it. Only the process that leads the writing does this. It retries until the
 * signal aborts, however long the database is away.
 */
export async function makeId(
  store: Pick<EventStore, 'marks' | 'append'>,
  readStoreId: StoreIdReader,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const record = await readIdRecord(store, readStoreId)
    if (record?.id !== undefined) return
    const marks = record && { [ID]: randomBytes(9).toString('hex'), [STORE]: record.storeId }
    if (marks && (await store.append([], marks)).ok) return
    await pause(AGAIN_MS, signal)
  }
}

/**
 * Waits for the id that names the store on the bus, so that two teams on one server never mix. Returns
 * undefined when the signal aborts first.
 */
export async function waitForId(
  store: Pick<EventStore, 'marks'>,
  readStoreId: StoreIdReader,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const record = await readIdRecord(store, readStoreId)
    if (record?.id !== undefined) return record.id
    await pause(AGAIN_MS, signal)
  }
  return undefined
}
