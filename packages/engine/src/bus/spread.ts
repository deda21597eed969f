import type { NatsConnection } from '@nats-io/transport-node'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Names } from './names.ts'
import { packPage } from './payload.ts'

/** How often whoever listens hears how far the ledger is, also where nothing comes. */
export const BEAT_MS = 500
const HEAD_BYTES = 1_024

/** Tells every hub of the rows that are stored from now on, by whomever. One process does it for all of them. */
export async function spread(
  connection: NatsConnection,
  names: Names,
  ledger: Pick<Ledger, 'head' | 'subscribe' | 'onTurned'>,
  signal: AbortSignal,
): Promise<void> {
  const head = await ledger.head()
  if (!head.ok) return
  const mostBytes = (connection.info?.max_payload ?? 1_048_576) - HEAD_BYTES
  let at = head.value.last
  const beat = setInterval(() => {
    for (const word of packPage({ after: at, last: at, rows: [] }, mostBytes)) say(connection, names, word)
  }, BEAT_MS)
  const unheard = ledger.onTurned?.((back) => {
    at = Math.min(at, back ?? at)
  })
  try {
    for await (const rows of ledger.subscribe(at, signal)) {
      const last = rows.at(-1)?.seq ?? at
      // The log may have gone back while these were under way.
      const after = Math.min(at, (rows[0]?.seq ?? at + 1) - 1)
      for (const page of packPage({ after, last, rows }, mostBytes)) say(connection, names, page)
      at = last
    }
  } finally {
    clearInterval(beat)
    unheard?.()
  }
}

/** What is lost with a connection is read from the ledger by those who miss it. */
function say(connection: NatsConnection, { rows }: Names, message: Uint8Array): void {
  try {
    connection.publish(rows, message)
  } catch {
    // It is closed, and whoever listens will look for themselves.
  }
}
