import type { NatsConnection } from '@nats-io/transport-node'
import type { EventStore } from '@panoptes/engine/store'
import { packPage } from './payload.ts'
import type { Names } from './streams.ts'

/** The leader announces the last stored seq this often, even when no new rows arrive. */
export const BEAT_MS = 500
const HEAD_BYTES = 1_024

/**
 * Publishes every row that is stored from now on, whichever process stored it. One process does this for all
 * hubs.
 */
export async function spread(
  connection: NatsConnection,
  names: Names,
  store: Pick<EventStore, 'head' | 'subscribe' | 'onTurned'>,
  signal: AbortSignal,
): Promise<void> {
  const head = await store.head()
  if (!head.ok) return
  const mostBytes = (connection.info?.max_payload ?? 1_048_576) - HEAD_BYTES
  let at = head.value.last
  const beat = setInterval(() => {
    for (const word of packPage({ after: at, last: at, rows: [] }, mostBytes)) say(connection, names, word)
  }, BEAT_MS)
  const unheard = store.onTurned?.((back) => {
    at = Math.min(at, back ?? at)
  })
  try {
    for await (const rows of store.subscribe(at, signal)) {
      const last = rows.at(-1)?.seq ?? at
      // The log may have been rewound while this read was under way.
      const after = Math.min(at, (rows[0]?.seq ?? at + 1) - 1)
      for (const page of packPage({ after, last, rows }, mostBytes)) say(connection, names, page)
      at = last
    }
  } finally {
    clearInterval(beat)
    unheard?.()
  }
}

/**
 * A message that is lost with the connection needs no retry: subscribers read missing rows from the store.
 */
function say(connection: NatsConnection, { rows }: Names, message: Uint8Array): void {
  try {
    connection.publish(rows, message)
  } catch {
    // The connection is closed; subscribers will notice the silence and read the store.
  }
}
