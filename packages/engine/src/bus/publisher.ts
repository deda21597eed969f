import { createHash } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { AppendQueue, type Batch, serializeEvent, type Written } from '@panoptes/engine/store'
import type { Failure, NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { isMissing, isNotThere, toFailure } from './connection.ts'
import { packLines } from './payload.ts'
import type { Names } from './streams.ts'

const TIMEOUT_MS = 5_000
/** Leaves room for a message's own header below the largest message that the server accepts. */
const HEAD_BYTES = 4_096
const NOTHING_WRITTEN = { first: 0, duplicates: [], last: 0 }

export interface Publishing {
  readonly where: string
  readonly names: Promise<Names>
  /** Returns undefined while there is no connection. */
  readonly connection: () => NatsConnection | undefined
  /** This is called when the stream may be gone, for example because the server's disk was wiped. */
  readonly missing: () => void
}

/**
 * Publishes events to the stream one message at a time. Events that arrive meanwhile share the next message.
 * So events that a caller sends after an acknowledgement come after those it sent before, whichever hub it
 * used.
 */
export class Publisher {
  readonly #options: Publishing
  readonly #queue: AppendQueue

  constructor(options: Publishing) {
    this.#options = options
    this.#queue = new AppendQueue((batches) => this.#commit(batches))
  }

  async publish(events: readonly NewEvent[]): Promise<Result<null>> {
    if (events.length === 0) return success(null)
    const sent = await this.#queue.append({ lines: events.map(serializeEvent) })
    return sent.ok ? success(null) : sent
  }

  drain(): Promise<void> {
    return this.#queue.drain()
  }

  /** A batch that is too large for the bus fails only for the caller that sent it. */
  async #commit(batches: readonly Batch[]): Promise<Result<readonly (Written | Failure)[]>> {
    const sent = await this.#send(batches.flatMap(({ lines }) => lines))
    if (sent.ok) return success(batches.map(() => NOTHING_WRITTEN))
    if (batches.length === 1 || sent.code !== 'denied') return sent
    const each: (Written | Failure)[] = []
    for (const { lines } of batches) {
      const one = await this.#send(lines)
      each.push(one.ok ? NOTHING_WRITTEN : one)
    }
    return success(each)
  }

  async #send(lines: readonly string[]): Promise<Result<null>> {
    const { where, names, connection, missing } = this.#options
    const link = connection()
    if (link === undefined) return unavailableFailure(where)
    const mostBytes = (link.info?.max_payload ?? 1_048_576) - HEAD_BYTES
    try {
      const { incoming } = await names
      for (const message of packLines(lines, mostBytes)) {
        if (message.length > mostBytes) return tooLargeFailure(where, message.length)
        const msgID = createHash('sha256').update(message).digest('base64url')
        await jetstream(link, { timeout: TIMEOUT_MS }).publish(incoming, message, { msgID })
      }
      return success(null)
    } catch (error) {
      if (isMissing(error) || isNotThere(error)) missing()
      const failed = toFailure(error, where)
      return failed.code === 'invalid' ? failure('denied', failed.message) : failed
    }
  }
}

const unavailableFailure = (where: string) =>
  failure('busy', `The bus at ${where} does not answer. Try again in a moment.`)

const tooLargeFailure = (where: string, bytes: number) =>
  failure(
    'denied',
    `An event of ${bytes} bytes is too large for the bus at ${where}. Raise max_payload of its servers to 1 MB or more.`,
  )
