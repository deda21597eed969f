import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, errors, type NatsConnection } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/abortable'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

const AGAIN_MS = 500

/** A connection while it is usable. `lost` aborts when it no longer is. */
export interface Linked {
  readonly connection: NatsConnection
  readonly lost: AbortSignal
}

const TIMEOUT_MS = 3_000

/** The client notices a silently cut connection after two missed pings of this interval. */
const PING_MS = 4_000

const NOT_ENABLED: readonly number[] = [JetStreamApiCodes.JetStreamNotEnabledForAccount, 10_076]
const TOO_MANY_BYTES = 10_077
const NO_SPACE = [10_023, 10_047]

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

/**
 * Opens a connection that reconnects on its own after any failure. Returns undefined when the signal aborts
 * first.
 */
async function connectTo(
  url: string,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<NatsConnection | undefined> {
  while (!signal.aborted) {
    try {
      return await connect(connectionOptions(url))
    } catch (error) {
      failed(error)
      await pause(AGAIN_MS, signal)
    }
  }
  return undefined
}

export function connectionOptions(url: string): ConnectionOptions {
  const addresses = url.split(',').map((each) => new URL(each))
  const [first] = addresses
  const user = decodeURIComponent(first?.username ?? '')
  const pass = decodeURIComponent(first?.password ?? '')
  return {
    servers: addresses.map(({ host }) => host),
    name: 'panoptes',
    timeout: TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: AGAIN_MS,
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ...(pass !== '' ? { user, pass } : user !== '' ? { token: user } : {}),
    ...(first?.protocol === 'tls:' ? { tls: {} } : {}),
  }
}

/** Turns an error of the bus into a failure that tells the reader what to do. */
export function toFailure(error: unknown, where: string): Failure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof JetStreamApiError) {
    if (NOT_ENABLED.includes(error.code)) return notEnabledFailure(where)
    if (error.code === TOO_MANY_BYTES)
      return failure(
        'busy',
        `The bus at ${where} is full because the store cannot keep up or is unavailable. ` +
          'Events it accepted are safe. Check the database, then try again.',
      )
    if (NO_SPACE.includes(error.code))
      return failure('disk_full', `The disk of the bus at ${where} is full: ${message}.`)
  }
  if (error instanceof errors.AuthorizationError || error instanceof errors.PermissionViolationError)
    return failure(
      'invalid',
      `The bus at ${where} refused the connection: ${message}. Check the user and the password in --bus.`,
    )
  if (isNotThere(error))
    return failure(
      'busy',
      `The bus at ${where} has no JetStream now. Try again in a moment. If it persists, start its servers with -js.`,
    )
  return failure('busy', `The bus at ${where} does not answer (${message}). Try again in a moment.`)
}

const notEnabledFailure = (where: string): Failure =>
  failure('invalid', `The NATS server at ${where} has no JetStream. Start it with -js.`)

/** Returns the address without credentials, safe to display. */
export const formatBus = (url: string): string =>
  url
    .split(',')
    .map((each) => URL.parse(each)?.host ?? 'the given address')
    .join(', ')

/**
 * No server accepted the message: JetStream is off, the stream does not exist, or the cluster is electing a
 * leader.
 */
export const isNotThere = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'

export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound)
