import type { EventStore } from '@panoptes/engine/store'
import type { StoredEvent } from '@panoptes/schema'
import type { ChildSession } from './read.ts'

const NEWEST = 1_000

/**
 * Reads the last started Hermes sub-agents from the store, so that their parents are known after a restart.
 */
export async function recentChildren(store: EventStore): Promise<readonly ChildSession[]> {
  const page = await store.read(
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
