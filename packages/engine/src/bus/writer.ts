import { setTimeout } from 'node:timers/promises'
import { type JsMsg, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Failure, NewEvent } from '@panoptes/schema'
import type { Link } from './link.ts'
import type { Names } from './names.ts'
import { pack, unpack } from './payload.ts'
import { spread } from './spread.ts'
import { store } from './storing.ts'
import { take } from './taking.ts'

/** Messages are stored together up to about so many events. */
const MOST_AT_ONCE = 5_000
const AGAIN_MS = 200

export interface Writing {
  readonly ledger: Ledger
  readonly link: Link
  readonly names: Names
  readonly refused: (event: NewEvent, why: Failure) => void
  readonly problem: (text: string | null) => void
}

/** While this process leads: from the stream into the ledger, and from the ledger to every hub. */
export async function write(writing: Writing, signal: AbortSignal): Promise<void> {
  const { link, names, ledger } = writing
  while (!signal.aborted) {
    const linked = await link.next(signal)
    if (linked === undefined) return
    const term = AbortSignal.any([signal, linked.lost])
    await Promise.all([
      repeated(
        term,
        () => storeAll(linked.connection, writing, term),
        () => link.again(),
      ),
      repeated(
        term,
        () => spread(linked.connection, names, ledger, term),
        () => undefined,
      ),
    ])
  }
}

/** Whatever ends it, it begins anew until the signal. */
async function repeated(signal: AbortSignal, work: () => Promise<void>, failed: () => void): Promise<void> {
  while (!signal.aborted) {
    await work().catch(failed)
    await setTimeout(AGAIN_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function storeAll(connection: NatsConnection, writing: Writing, signal: AbortSignal): Promise<void> {
  const { ledger, names, problem } = writing
  const refuse = async (event: NewEvent, why: Failure) => {
    writing.refused(event, why)
    const text = JSON.stringify({ why: why.message, event })
    await jetstream(connection).publish(names.refused, pack(text))
  }
  for await (const messages of take(connection, names, signal)) {
    for (const group of grouped(messages)) {
      if (!(await store(group.events, { ledger, signal, refuse, problem }))) return
      for (const message of group.messages) message.ack()
    }
  }
}

interface Group {
  readonly messages: JsMsg[]
  readonly events: NewEvent[]
}

function* grouped(messages: readonly JsMsg[]): Iterable<Group> {
  let group: Group = { messages: [], events: [] }
  for (const message of messages) {
    group.messages.push(message)
    group.events.push(...eventsOf(message))
    if (group.events.length < MOST_AT_ONCE) continue
    yield group
    group = { messages: [], events: [] }
  }
  if (group.messages.length > 0) yield group
}

/** A message that is none of ours holds no events. */
function eventsOf(message: JsMsg): readonly NewEvent[] {
  try {
    return unpack(message.data)
      .split('\n')
      .map((line) => JSON.parse(line) as NewEvent)
  } catch {
    return []
  }
}
