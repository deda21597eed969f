import type { Evidence } from '@panoptes/schema'
import { getJson } from '../api/request.ts'
import type { EventsSearch } from '../events/search.ts'
import { keyOf, sessionKeyOf } from '../live/data/key.ts'
import type { LiveSearch } from '../live/search.ts'
import type { SessionsSearch } from '../sessions/search.ts'
import type { LedgerSearch } from './search.ts'

/** Where something can be looked up: a transcript or some sessions, a moment in Live, the events of a session, or more of the ledger. */
export type Place =
  | { readonly to: '/sessions'; readonly search: SessionsSearch }
  | { readonly to: '/'; readonly search: LiveSearch }
  | { readonly to: '/settings/events'; readonly search: EventsSearch }
  | { readonly to: '/ledger'; readonly search: LedgerSearch }

type Named = Pick<Evidence, 'source' | 'session_id' | 'agent_id' | 'n'> &
  Partial<Pick<Evidence, 'tool_use_id'>>

const ofAgent = ({ source, session_id, agent_id }: Named) => ({ source, session_id, id: agent_id })

/** Where it is by what is known of it. What has no place in a transcript is known from events alone. */
export function placeOf(evidence: Named, at: number | null = null): Place {
  const session = sessionKeyOf({ source: evidence.source, session_id: evidence.session_id })
  if (evidence.n !== null) return { to: '/sessions', search: { session, n: evidence.n } }
  if (at !== null) return { to: '/', search: { session, agent: keyOf(ofAgent(evidence)), at } }
  const { source, session_id, tool_use_id } = evidence
  return {
    to: '/settings/events',
    search: { source, session: session_id, ...(tool_use_id == null ? {} : { text: tool_use_id }) },
  }
}

/** What a session spent its money on: whatever has a cost has its place there, be it known by a transcript or by events. */
export const costPlace = ({ source, session_id }: Pick<Named, 'source' | 'session_id'>): Place => ({
  to: '/ledger',
  search: { tab: 'costs', days: 'all', by: 'agent', session: sessionKeyOf({ source, session_id }) },
})

/** A session as a whole, where no message of it is named: its transcript, or its last moment in Live where it has none. */
export async function sessionPlace(agent: Omit<Named, 'n'>, at: number | null): Promise<Place> {
  const { source, session_id } = agent
  const path = `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(session_id)}?limit=1`
  const isRead = await getJson<unknown>(path).then(
    () => true,
    () => false,
  )
  return isRead
    ? { to: '/sessions', search: { session: sessionKeyOf({ source, session_id }) } }
    : placeOf({ ...agent, n: null }, at)
}
