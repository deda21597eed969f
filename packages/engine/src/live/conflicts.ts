import type { EventRow, Ledger } from '@panoptes/engine/ledger'
import { agentOf, type FileConflict, isKind, type StoredEvent } from '@panoptes/schema'
import { createEdits, type Editor } from './edits.ts'
import { createFileNames, shownName } from './file-names.ts'
import { follow } from './follow.ts'

/** Follows the ledger and tells which files two agents edit at the same time. */
export interface Conflicts {
  readonly list: () => readonly FileConflict[]
  readonly stop: () => Promise<void>
}

/** Edits further apart are not at the same time; a conflict is told for as long after it. */
const WINDOW_MS = 300_000
/** Most events are none of these: they are passed over without being read. */
const MAY_MATTER = /"file":|"event":"(?:agent_(?:spawn|link|done|lost)|session_(?:start|end))"/
const KINDS = [
  'session_start',
  'tool_use',
  'agent_spawn',
  'agent_link',
  'agent_done',
  'agent_lost',
  'session_end',
]
const PAGE = 1_000
const MOST_PAGES = 5
const MOST_HIDDEN = 1_000
const MOST_SESSIONS = 1_000

/** `feed`: where rows come from as they are stored. */
export function createConflicts(
  ledger: Ledger,
  now: () => number = Date.now,
  feed: Pick<Ledger, 'subscribe'> = ledger,
): Conflicts {
  const edits = createEdits(WINDOW_MS)
  const names = createFileNames()
  const stop = new AbortController()

  /** Sessions that a hook started: their agents are not shown. */
  const hidden = new Set<string>()

  const see = ({ json }: EventRow) => {
    if (json.includes('"from_hook":true')) hide(JSON.parse(json) as StoredEvent)
    if (!MAY_MATTER.test(json)) return
    const event = JSON.parse(json) as StoredEvent
    if (hidden.has(sessionOf(event))) return
    const agent = { source: event.source, session_id: event.session_id, agent_id: agentOf(event) ?? 'main' }
    if (isKind(event, 'session_start')) {
      if (event.cwd) names.worksIn(sessionOf(event), event.cwd)
    } else if (isKind(event, 'tool_use') && typeof event.file === 'string')
      edits.edited(names.nameOf(sessionOf(event), event.file), agent, event.ts)
    else if (isKind(event, 'agent_spawn') || isKind(event, 'agent_link')) meet(agent, event)
    else if (isKind(event, 'agent_done') || isKind(event, 'agent_lost')) edits.ended(agent)
    else if (isKind(event, 'session_end')) edits.sessionEnded(event.source, event.session_id)
  }

  const meet = (agent: Editor, event: StoredEvent) => {
    if (typeof event.id !== 'string') return
    if (isKind(event, 'agent_spawn')) edits.began(agent, event.ts)
    if (typeof event.parent_id === 'string') edits.madeBy(agent, event.parent_id)
    if (event.status === 'completed' || event.status === 'failed') edits.ended(agent)
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
    const known = await ledger.sessions({ limit: MOST_SESSIONS })
    for (const session of known.ok ? known.value.value.toReversed() : [])
      if (session.cwd !== null) names.worksIn(sessionOf(session), session.cwd)
    for (const row of await recent(ledger, at, now() - WINDOW_MS)) see(row)
    await follow(feed, at, see, stop.signal)
  }

  const following = start()
  return {
    list: () => edits.conflicts(now()).map((each) => ({ ...each, file: shownName(each.file) })),
    stop: async () => {
      stop.abort()
      await following
    },
  }
}

const sessionOf = ({ source, session_id }: Pick<StoredEvent, 'source' | 'session_id'>): string =>
  JSON.stringify([source, session_id])

/** What happened shortly before, oldest first. */
async function recent(ledger: Ledger, head: number, since: number): Promise<readonly EventRow[]> {
  const rows: EventRow[] = []
  let before: number | null = head + 1
  for (let page = 0; page < MOST_PAGES && before !== null; page += 1) {
    const read = await ledger.read({ before, limit: PAGE }, { kinds: KINDS, since })
    if (!read.ok) break
    rows.push(...read.value.rows)
    before = read.value.next
  }
  return rows.reverse()
}
