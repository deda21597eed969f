import type { EventFilter, EventPage } from '@panoptes/engine/store'
import { escapeJsonText } from '@panoptes/schema/shown'
import { CommandFailure, orFail } from '../failure.ts'
import type { Access } from './access.ts'
import type { Client } from './client.ts'

/** A chunk of NDJSON, which may end in the middle of a line, with the number of line ends in it. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly ends: number
}

const PAGE = 1_000
const NEWLINE = 10

/** Yields every event that existed when reading began, oldest first, as one JSON line each. */
export function eventLines(access: Access, filter: EventFilter, signal: AbortSignal): AsyncGenerator<Lines> {
  return access.kind === 'daemon' ? overHttp(access.client, filter, signal) : fromFile(access, filter, signal)
}

async function* fromFile(
  { store }: Extract<Access, { kind: 'file' }>,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<Lines> {
  const { first } = orFail(await store.head())
  let after: number | null = first - 1
  while (after !== null && !signal.aborted) {
    const page: EventPage = orFail(await store.read({ after, limit: PAGE }, filter))
    after = page.next
    if (page.rows.length === 0) continue
    yield {
      bytes: Buffer.from(escapeJsonText(page.rows.map(({ json }) => `${json}\n`).join(''))),
      ends: page.rows.length,
    }
  }
}

async function* overHttp(client: Client, filter: EventFilter, signal: AbortSignal): AsyncGenerator<Lines> {
  const reply = await client.request(`/api/export?${queryOf(filter)}`, { signal })
  for await (const bytes of bodyOf(reply)) yield { bytes, ends: countLineEnds(bytes) }
}

/** Yields the bytes of an export from the daemon. */
export async function* bodyOf(reply: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of reply.body ?? []) yield bytes
  } catch {
    throw new CommandFailure('Panoptes stopped during the export', {
      code: 'unreachable',
      next: 'Find out why with: panoptes doctor',
    })
  }
}

export function countLineEnds(bytes: Uint8Array): number {
  let ends = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) ends += 1
  return ends
}

function queryOf({ kinds, ...filter }: EventFilter): URLSearchParams {
  const query = new URLSearchParams()
  if (kinds) query.set('kind', kinds.join(','))
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query
}
