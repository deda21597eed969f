import { AckPolicy, DeliverPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/abortable'
import type { EventStore } from '@panoptes/engine/store'
import type { Failure, NewEvent } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { spread } from './broadcaster.ts'
import type { Link } from './connection.ts'
import { isMissing } from './connection.ts'
import { pack, unpack } from './payload.ts'
import { type Names, WRITER } from './streams.ts'

/** Messages are stored together up to about this many events. */
const MOST_AT_ONCE = 5_000
const AGAIN_MS = 200

export interface Writing {
  readonly store: EventStore
  readonly link: Link
  readonly names: Names
  /** This is called when `what` was set aside: an event, or data that is not an event. */
  readonly refused: (what: string, why: string) => void
  readonly problem: (text: string | null) => void
}

/**
 * Runs while this process leads: it moves events from the stream into the store, and announces stored rows to
 * every hub.
 */
export async function write(writing: Writing, signal: AbortSignal): Promise<void> {
  const { link, names, store } = writing
  while (!signal.aborted) {
    const linked = await link.next(signal)
    if (linked === undefined) return
    const term = AbortSignal.any([signal, linked.lost])
    await Promise.all([
      repeatUntilAborted(
        term,
        () => storeAll(linked.connection, writing, term),
        () => link.again(),
      ),
      repeatUntilAborted(
        term,
        () => spread(linked.connection, names, store, term),
        () => undefined,
      ),
    ])
  }
}

/** Restarts the work, whatever ended it, until the signal aborts. */
async function repeatUntilAborted(
  signal: AbortSignal,
  work: () => Promise<void>,
  failed: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(failed)
    await pause(AGAIN_MS, signal)
  }
}

async function storeAll(connection: NatsConnection, writing: Writing, signal: AbortSignal): Promise<void> {
  const { store, names, problem } = writing
  const refuse = async (event: NewEvent, why: Failure) => {
    const text = JSON.stringify({ why: why.message, event })
    await jetstream(connection).publish(names.refused, pack(text))
    writing.refused(`The event ${event.key}`, why.message)
  }
  const setAside = async (unreadable: Uint8Array) => {
    await jetstream(connection).publish(names.refused, unreadable)
    writing.refused('A message from the bus', 'It is not an event.')
  }
  for await (const messages of take(connection, names, signal)) {
    for (const group of groupMessages(messages)) {
      if (!(await storeEvents(group.events, { store, signal, refuse, problem }))) return
      for (const unreadable of group.unreadable) await setAside(unreadable)
      for (const message of group.messages) message.ack()
    }
  }
}

interface Group {
  readonly messages: JsMsg[]
  readonly events: NewEvent[]
  readonly unreadable: Uint8Array[]
}

const emptyGroup = (): Group => ({ messages: [], events: [], unreadable: [] })

function* groupMessages(messages: readonly JsMsg[]): Iterable<Group> {
  let group = emptyGroup()
  for (const message of messages) {
    group.messages.push(message)
    read(message, group)
    if (group.events.length < MOST_AT_ONCE) continue
    yield group
    group = emptyGroup()
  }
  if (group.messages.length > 0) yield group
}

/** Data that cannot be parsed is set aside unchanged, and one bad line does not affect the others. */
function read({ data }: JsMsg, { events, unreadable }: Group): void {
  const text = tryUnpack(data)
  if (text === undefined) unreadable.push(data)
  else
    for (const line of text.split('\n')) {
      const event = parseEvent(line)
      if (event === undefined) unreadable.push(pack(line))
      else events.push(event)
    }
}

function tryUnpack(data: Uint8Array): string | undefined {
  try {
    return unpack(data)
  } catch {
    return undefined
  }
}

function parseEvent(line: string): NewEvent | undefined {
  try {
    const value: Partial<NewEvent> | null = JSON.parse(line)
    return typeof value?.key === 'string' ? (value as NewEvent) : undefined
  } catch {
    return undefined
  }
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 3_000
/** An event that the store rejects this often while it accepts others is a bad event. */
const TRIES = 3

interface Storing {
  readonly store: EventStore
  readonly signal: AbortSignal
  readonly refuse: (event: NewEvent, why: Failure) => Promise<void>
  /** Reports the current problem, or null when it is over. */
  readonly problem: (text: string | null) => void
}

/**
 * Stores all events, however long the store is away, and sets aside those that it will never accept. Returns
 * false when it was stopped.
 */
export async function storeEvents(events: readonly NewEvent[], storing: Storing): Promise<boolean> {
  const { store, signal, problem } = storing
  for (let wait = FIRST_WAIT_MS, tried = 1; !signal.aborted; tried += 1) {
    const stored = await store.append(events)
    if (stored.ok) {
      problem(null)
      return true
    }
    problem(stored.message)
    if (stored.code === 'closed') return false
    if (stored.code === 'io' && events.length > 1) return storeHalves(events, storing)
    if (stored.code === 'io' && tried >= TRIES) {
      const [event] = events
      if (event !== undefined) await storing.refuse(event, stored)
      problem(null)
      return true
    }
    await pause(wait, signal)
    wait = Math.min(LONGEST_WAIT_MS, wait * 2)
  }
  return false
}

/** One event of the list may be bad: splitting the list stores the others without it, in order. */
async function storeHalves(events: readonly NewEvent[], storing: Storing): Promise<boolean> {
  const half = Math.ceil(events.length / 2)
  return (
    (await storeEvents(events.slice(0, half), storing)) && (await storeEvents(events.slice(half), storing))
  )
}

const MOST_AHEAD = 256
/**
 * The most bytes in flight besides the messages already held. The limit is a number of messages, because with
 * a limit in bytes the client requests less each time than one message needs.
 */
const MOST_AHEAD_BYTES = 67_108_864
const ACK_WAIT_MS = 300_000
const MOST_HELD_BYTES = 16_777_216

/**
 * Yields the messages of the stream in order, oldest first. It creates a new consumer each time, because an
 * old one may have delivered messages to a process that is gone and would redeliver them only after later
 * ones. It returns when a message was missed.
 */
async function* take(
  connection: NatsConnection,
  names: Names,
  signal: AbortSignal,
): AsyncIterable<readonly JsMsg[]> {
  const jsm = await jetstreamManager(connection)
  const ahead = messagesAhead(connection.info?.max_payload ?? MOST_AHEAD_BYTES)
  await jsm.consumers.delete(names.stream, WRITER).catch(ignoreMissing)
  await jsm.consumers.add(names.stream, {
    durable_name: WRITER,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MOST_AHEAD * 4,
  })
  const consumer = await jsm.jetstream().consumers.get(names.stream, WRITER)
  const messages = await consumer.consume({
    max_messages: ahead,
    idle_heartbeat: 1_000,
    expires: 10_000,
    abort_on_missing_resource: true,
  })
  const held = new Held()
  const stop = () => {
    held.end()
    void messages.close()
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const pumping = (async () => {
    let expected = 1
    for await (const message of messages) {
      if (message.info.deliverySequence !== expected) break
      expected += 1
      await held.push(message)
    }
  })()
    .catch(() => undefined)
    .finally(() => held.end())
  try {
    for (let taken = await held.all(); taken !== undefined; taken = await held.all()) yield taken
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await pumping
  }
}

/** Returns how many messages to request, given the largest message that the server accepts. */
export const messagesAhead = (largest: number): number =>
  clamp(Math.floor(MOST_AHEAD_BYTES / largest), 1, MOST_AHEAD)

/** A bounded buffer between the connection and the writer, which takes all buffered messages at once. */
class Held {
  #messages: JsMsg[] = []
  #bytes = 0
  #isOver = false
  #changed = Promise.withResolvers<void>()

  async push(message: JsMsg): Promise<void> {
    this.#messages.push(message)
    this.#bytes += message.data.length
    this.#change()
    while (this.#bytes > MOST_HELD_BYTES && !this.#isOver) await this.#changed.promise
  }

  /** Returns undefined once the stream is over. */
  async all(): Promise<readonly JsMsg[] | undefined> {
    while (this.#messages.length === 0 && !this.#isOver) await this.#changed.promise
    if (this.#isOver) return undefined
    const taken = this.#messages
    this.#messages = []
    this.#bytes = 0
    this.#change()
    return taken
  }

  end(): void {
    this.#isOver = true
    this.#change()
  }

  #change(): void {
    const changed = this.#changed
    this.#changed = Promise.withResolvers<void>()
    changed.resolve()
  }
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
