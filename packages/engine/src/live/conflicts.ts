import type { EventRow, Ledger } from '@panoptes/engine/ledger'
import { agentOf, type FileConflict, isKind, type StoredEvent } from '@panoptes/schema'
import { createEdits } from './edits.ts'
import { follow } from './follow.ts'

/** Follows the ledger and tells which files two agents edit at the same time. */
export interface Conflicts {
  readonly list: () => readonly FileConflict[]
  readonly stop: () => Promise<void>
}

const WINDOW_MS = 600_000
const PAGE = 1_000
const MOST_PAGES = 5
const MOST_HIDDEN = 1_000

export function createConflicts(ledger: Ledger, now: () => number = Date.now): Conflicts {
  const edits = createEdits(WINDOW_MS)
  const stop = new AbortController()

  /** Sessions that a hook started: their agents are not shown. */
  const hidden = new Set<string>()

  const see = ({ json }: EventRow) => {
    if (json.includes('"from_hook":true')) hide(JSON.parse(json) as StoredEvent)
    // Most events are neither: they are passed over without being read.
    const edit = json.includes('"file":')
    if (!edit && !json.includes('"agent_done"') && !json.includes('"session_end"')) return
    const event = JSON.parse(json) as StoredEvent
    if (hidden.has(sessionOf(event))) return
    const agent = { source: event.source, session_id: event.session_id, agent_id: agentOf(event) ?? 'main' }
    if (isKind(event, 'tool_use') && typeof event.file === 'string') edits.edited(event.file, agent, event.ts)
    else if (isKind(event, 'agent_done')) edits.ended(agent)
    else if (isKind(event, 'session_end')) edits.sessionEnded(event.source, event.session_id)
  }

  const hide = (event: StoredEvent) => {
    hidden.add(sessionOf(event))
    for (const oldest of hidden) {
      if (hidden.size <= MOST_HIDDEN) break
      hidden.delete(oldest)
    }
  }

  const start = async () => {
    const head = await ledger.head()
    const at = head.ok ? head.value.last : 0
    for (const row of await recent(ledger, at, now() - WINDOW_MS)) see(row)
    await follow(ledger, at, see, stop.signal)
  }

  const following = start()
  return {
    list: () => edits.conflicts(now()),
    stop: async () => {
      stop.abort()
      await following
    },
  }
}

const sessionOf = ({ source, session_id }: StoredEvent): string => JSON.stringify([source, session_id])

/** What happened shortly before, oldest first. */
async function recent(ledger: Ledger, head: number, since: number): Promise<readonly EventRow[]> {
  const rows: EventRow[] = []
  let before: number | null = head + 1
  for (let page = 0; page < MOST_PAGES && before !== null; page += 1) {
    const read = await ledger.read(
      { before, limit: PAGE },
      { kinds: ['session_start', 'tool_use', 'agent_done', 'session_end'], since },
    )
    if (!read.ok) break
    rows.push(...read.value.rows)
    before = read.value.next
  }
  return rows.reverse()
}
