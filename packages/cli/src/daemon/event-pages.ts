import type { EventFilter } from '@panoptes/engine/ledger'
import type { EventsPage } from '@panoptes/schema'
import { orFail } from '../failure.ts'
import type { Access } from './access.ts'

export interface LinePage {
  readonly lines: readonly string[]
  /** How far the reading is in the log, for progress. */
  readonly seen: number
  readonly total: number
}

const PAGE = 1_000

/** Every event that was there when the reading began, oldest first, as JSON text. */
export async function* eventPages(
  access: Access,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<LinePage> {
  const read = access.kind === 'daemon' ? overHttp(access, filter, signal) : fromFile(access, filter)
  const { first, last } = await read.head()
  const total = Math.max(0, last - first + 1)
  let after: number | null = first - 1
  while (after !== null && after < last && !signal.aborted) {
    const page: ReadPage = await read.page(after)
    const rows = page.rows.filter(({ seq }) => seq <= last)
    after = page.next
    const seen = Math.min(total, (after ?? last) - first + 1)
    yield { lines: rows.map(({ json }) => json), seen, total }
  }
}

interface ReadPage {
  readonly rows: readonly { readonly seq: number; readonly json: string }[]
  readonly next: number | null
}

interface Reader {
  readonly head: () => Promise<{ readonly first: number; readonly last: number }>
  readonly page: (after: number) => Promise<ReadPage>
}

function fromFile({ ledger }: Extract<Access, { kind: 'file' }>, filter: EventFilter): Reader {
  return {
    head: async () => orFail(await ledger.head()),
    page: async (after) => orFail(await ledger.read({ after, limit: PAGE }, filter)),
  }
}

function overHttp(
  { client }: Extract<Access, { kind: 'daemon' }>,
  filter: EventFilter,
  signal: AbortSignal,
): Reader {
  const query = queryOf(filter)
  const ask = (after: number, limit: number, more: URLSearchParams | undefined) => {
    const search = new URLSearchParams(more)
    search.set('after', String(after))
    search.set('limit', String(limit))
    return client.json<EventsPage>(`/api/events?${search}`, { signal })
  }
  return {
    head: () => ask(0, 1, undefined),
    page: async (after) => {
      const { events, next } = await ask(after, PAGE, query)
      return { rows: events.map((event) => ({ seq: event.seq, json: JSON.stringify(event) })), next }
    },
  }
}

function queryOf({ kinds, ...filter }: EventFilter): URLSearchParams {
  const query = new URLSearchParams()
  if (kinds) query.set('kind', kinds.join(','))
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query
}
