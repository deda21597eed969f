import type { EventStore } from '@panoptes/engine/store'
import type { StoredEvent } from '@panoptes/schema'

const NEWEST = 2_000

/** Events that occur repeatedly and have no unique name; calls do have one. */
const UNNAMED = [
  'session_start',
  'session_end',
  'prompt',
  'agent_spawn',
  'agent_link',
  'agent_wait',
  'agent_done',
  'answer',
  'claim',
  'skill_use',
  'bypass',
  'notice',
  'hook',
]

/** Reads the newest stored events without a unique name, newest first, optionally of one session. */
export async function readRecentEvents(
  store: Pick<EventStore, 'read'>,
  of: { readonly source?: string; readonly session?: string } = {},
): Promise<readonly StoredEvent[]> {
  const range = { before: Number.MAX_SAFE_INTEGER, limit: NEWEST }
  const page = await store.read(range, { kinds: UNNAMED, ...of })
  return page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
}
