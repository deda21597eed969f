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
  'claim',
  'skill_use',
  'bypass',
  'notice',
  'hook',
]

/** What the ledger last heard that has no name of its own, newest first; of one session alone where that is asked. */
export async function knownEvents(
  ledger: Pick<Ledger, 'read'>,
  of: { readonly source?: string; readonly session?: string } = {},
): Promise<readonly StoredEvent[]> {
  const range = { before: Number.MAX_SAFE_INTEGER, limit: NEWEST }
  const page = await ledger.read(range, { kinds: UNNAMED, ...of })
  return page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
}
