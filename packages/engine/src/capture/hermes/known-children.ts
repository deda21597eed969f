import type { Ledger } from '@panoptes/engine/ledger'
import type { StoredEvent } from '@panoptes/schema'
import type { KnownChild } from './read.ts'

const NEWEST = 1_000

/** The sub-agents of Hermes that the ledger has last seen start: whose their sessions are outlives a restart. */
export async function knownChildren(ledger: Ledger): Promise<readonly KnownChild[]> {
  const page = await ledger.read(
    { before: Number.MAX_SAFE_INTEGER, limit: NEWEST },
    { kinds: ['agent_spawn'], source: 'hermes' },
  )
  if (!page.ok) return []
  return page.value.rows.toReversed().flatMap(({ json }) => {
    const { child_session: childSession, session_id: session, id: agent } = JSON.parse(json) as StoredEvent
    if (typeof childSession !== 'string' || typeof agent !== 'string') return []
    return [{ childSession, session, agent }]
  })
}
