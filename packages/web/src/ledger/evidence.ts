import type { Evidence } from '@panoptes/schema'
import { getJson } from '../api/request.ts'
import type { EventsSearch } from '../events/search-params.ts'
import { toAgentKey, toSessionKey } from '../live/data/agent-key.ts'
import type { LiveSearch } from '../live/search-params.ts'
import type { SessionsSearch } from '../sessions/search-params.ts'
import type { LedgerSearch } from './search-params.ts'

/** A place to look something up: a transcript, sessions, a moment in Live, a session's events, or another part of the Ledger. */
export type Place =
  | { readonly to: '/sessions'; readonly search: SessionsSearch }
  | { readonly to: '/'; readonly search: LiveSearch }
  | { readonly to: '/settings/events'; readonly search: EventsSearch }
  | { readonly to: '/ledger'; readonly search: LedgerSearch }

type Named = Pick<Evidence, 'source' | 'session_id' | 'agent_id' | 'n'> &
  Partial<Pick<Evidence, 'tool_use_id'>>

const toAgentIdentity = ({ source, session_id, agent_id }: Named) => ({ source, session_id, id: agent_id })

/** Finds the place from what is known. Something without a place in a transcript is known from events only. */
export function evidencePlace(evidence: Named, at: number | null = null): Place {
  const session = toSessionKey({ source: evidence.source, session_id: evidence.session_id })
  if (evidence.n !== null) return { to: '/sessions', search: { session, n: evidence.n } }
  if (at !== null) return { to: '/', search: { session, agent: toAgentKey(toAgentIdentity(evidence)), at } }
  const { source, session_id, tool_use_id } = evidence
  return {
    to: '/settings/events',
    search: { source, session: session_id, ...(tool_use_id == null ? {} : { text: tool_use_id }) },
  }
}

/** The costs of a session. Every cost is listed there, whether a transcript or events report it. */
export const costPlace = ({ source, session_id }: Pick<Named, 'source' | 'session_id'>): Place => ({
  to: '/ledger',
  search: { tab: 'costs', days: 'all', by: 'agent', session: toSessionKey({ source, session_id }) },
})

/** A session as a whole: its transcript, or its last moment in Live if it has none. */
export async function sessionPlace(agent: Omit<Named, 'n'>, at: number | null): Promise<Place> {
  const { source, session_id } = agent
  const path = `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(session_id)}?limit=1`
  const isRead = await getJson<unknown>(path).then(
    () => true,
    () => false,
  )
  return isRead
    ? { to: '/sessions', search: { session: toSessionKey({ source, session_id }) } }
    : evidencePlace({ ...agent, n: null }, at)
}
