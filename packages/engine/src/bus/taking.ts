import { AckPolicy, DeliverPolicy, type JsMsg, jetstreamManager } from '@nats-io/jetstream'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import { isMissing } from './failures.ts'
import { type Names, WRITER } from './names.ts'

const MOST_AHEAD = 256
/** What is on its way besides those that are held. Asking by bytes would have a client ask for less each time than a message has. */
const MOST_AHEAD_BYTES = 67_108_864
const ACK_WAIT_MS = 300_000
const MOST_HELD_BYTES = 16_777_216

/**
 * What is in the stream, in its order, from the oldest on. The consumer is made anew each time: one that was there may have given
 * messages to somebody who is gone, and would give them again only after those that followed. Ends when anything was missed.
 */
export async function* take(
  connection: NatsConnection,
  names: Names,
  signal: AbortSignal,
): AsyncIterable<readonly JsMsg[]> {
  const jsm = await jetstreamManager(connection)
  const ahead = messagesAhead(connection.info?.max_payload ?? MOST_AHEAD_BYTES)
  await jsm.consumers.delete(names.stream, WRITER).catch(unlessMissing)
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

/** However large the messages are that a server takes. */
export const messagesAhead = (largest: number): number =>
  Math.min(MOST_AHEAD, Math.max(1, Math.floor(MOST_AHEAD_BYTES / largest)))

/** Messages between the connection and whoever stores them, all of which are taken at once; bounded. */
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

  /** Undefined once it is over. */
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

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
