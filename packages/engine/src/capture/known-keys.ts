import type { Ledger } from '@panoptes/engine/ledger'
import type { StoredEvent } from '@panoptes/schema'

const NEWEST = 2_000

/** What happens again and again and has no name of its own; calls have one. */
const UNNAMED = [
  'session_start',
  'session_end',
  'prompt',
  'agent_spawn',
  'agent_link',
  'agent_wait',
  'agent_done',
  'answer',
  'status',
  'notice',
  'hook',
]

/** The keys of what the ledger last heard from hooks, newest first. */
export async function knownKeys(ledger: Ledger): Promise<readonly string[]> {
  const page = await ledger.read({ before: Number.MAX_SAFE_INTEGER, limit: NEWEST }, { kinds: UNNAMED })
  return page.ok ? page.value.rows.map(({ json }) => (JSON.parse(json) as StoredEvent).key) : []
}
