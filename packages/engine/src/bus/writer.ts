import { type JsMsg, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Ledger } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
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
  /** `what` was set aside: an event, or something that is none. */
  readonly refused: (what: string, why: string) => void
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
    await pause(AGAIN_MS, signal)
  }
}

async function storeAll(connection: NatsConnection, writing: Writing, signal: AbortSignal): Promise<void> {
  const { ledger, names, problem } = writing
  const refuse = async (event: NewEvent, why: Failure) => {
    const text = JSON.stringify({ why: why.message, event })
    await jetstream(connection).publish(names.refused, pack(text))
    writing.refused(`The event ${event.key}`, why.message)
  }
  const setAside = async (unreadable: Uint8Array) => {
    await jetstream(connection).publish(names.refused, unreadable)
    writing.refused('Something that came by the bus', 'It is no event.')
  }
  for await (const messages of take(connection, names, signal)) {
    for (const group of grouped(messages)) {
      if (!(await store(group.events, { ledger, signal, refuse, problem }))) return
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

function* grouped(messages: readonly JsMsg[]): Iterable<Group> {
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

/** What cannot be read is kept as it is; one bad line takes no other with it. */
function read({ data }: JsMsg, { events, unreadable }: Group): void {
  const text = textOf(data)
  if (text === undefined) unreadable.push(data)
  else
    for (const line of text.split('\n')) {
      const event = eventOf(line)
      if (event === undefined) unreadable.push(pack(line))
      else events.push(event)
    }
}

function textOf(data: Uint8Array): string | undefined {
  try {
    return unpack(data)
  } catch {
    return undefined
  }
}

function eventOf(line: string): NewEvent | undefined {
  try {
    const value: Partial<NewEvent> | null = JSON.parse(line)
    return typeof value?.key === 'string' ? (value as NewEvent) : undefined
  } catch {
    return undefined
  }
}
