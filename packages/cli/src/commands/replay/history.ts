import type { Agent, EventsPage, SessionSummary, StoredEvent, Timeline } from '@panoptes/schema'
import type { Access } from '../../daemon/access.ts'
import { CommandFailure, orFail } from '../../failure.ts'

const PAGE = 1_000
const MOST_SESSIONS = 10_000

export interface Span {
  readonly from: number
  readonly to: number
  readonly session: string | undefined
}

/** Past events, from the running daemon or directly from the store. */
export interface History {
  /** Sessions with one id, or the newest. */
  readonly sessions: (session: string | undefined) => Promise<readonly SessionSummary[]>
  /** The newest events of a time range, oldest first, and whether there were more. */
  readonly events: (span: Span, most: number) => Promise<{ events: readonly StoredEvent[]; more: boolean }>
  readonly timeline: (span: Span, slices: number) => Promise<Timeline>
  readonly agentsAt: (ts: number) => Promise<readonly Agent[]>
}

export function openHistory(access: Access): History {
  return access.kind === 'daemon' ? overHttp(access.client) : fromStore(access.store)
}

function overHttp(client: Extract<Access, { kind: 'daemon' }>['client']): History {
  const get = <T>(path: string, query: Readonly<Record<string, string | number | undefined>>): Promise<T> => {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) params.set(name, String(value))
    }
    return client.json<T>(`${path}?${params}`)
  }
  return {
    sessions: (session) => get('/api/sessions', { session, limit: MOST_SESSIONS }),
    events: (span, most) =>
      newest(most, (before) =>
        get<EventsPage>('/api/events', {
          since: span.from,
          until: span.to,
          session: span.session,
          before,
          limit: PAGE,
        }),
      ),
    timeline: ({ from, to, session }, slices) => get('/api/timeline', { from, to, session, slices }),
    agentsAt: async (ts) => (await get<{ agents: readonly Agent[] }>('/api/replay', { at: ts })).agents,
  }
}

function fromStore(store: Extract<Access, { kind: 'file' }>['store']): History {
  return {
    sessions: async (session) => orFail(await store.sessions({ session, limit: MOST_SESSIONS })).value,
    events: (span, most) =>
      newest(most, async (before) => {
        const filter = { since: span.from, until: span.to, session: span.session }
        const { rows, next } = orFail(await store.read({ before, limit: PAGE }, filter))
        return { events: rows.map(({ json }) => JSON.parse(json) as EventsPage['events'][number]), next }
      }),
    timeline: async ({ from, to, session }, slices) =>
      orFail(await store.timeline({ from, to, session, slices })),
    agentsAt: async (ts) => orFail(await store.agentsAt({ ts })).value,
  }
}

type Page = Pick<EventsPage, 'events' | 'next'>

/** Reads backwards from the end until there are no more events or enough. */
async function newest(most: number, read: (before: number) => Promise<Page>) {
  const found: EventsPage['events'] = []
  let before: number | null = Number.MAX_SAFE_INTEGER
  while (before !== null && found.length < most) {
    const page: Page = await read(before)
    found.push(...page.events)
    before = page.next
  }
  const events = found.slice(0, most).reverse() as readonly StoredEvent[]
  return { events, more: before !== null || found.length > most }
}

export const nothingThere = (): CommandFailure =>
  new CommandFailure('There is nothing to replay in this time range', {
    code: 'not_found',
    next: 'Choose another range with --since and --until, or a session with --session.',
  })
