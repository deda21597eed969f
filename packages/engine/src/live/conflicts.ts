import { posix, win32 } from 'node:path'
import type { EventRow, EventStore } from '@panoptes/engine/store'
import { type FileConflict, isKind, readAgentId, type StoredEvent } from '@panoptes/schema'
import { createFamilies, dropOldest, editorKey, type Families, sessionKey } from './families.ts'
import { follow } from './follow.ts'

/** Follows the store and reports files that two agents edit at the same time. */
export interface Conflicts {
  readonly list: () => readonly FileConflict[]
  readonly stop: () => Promise<void>
}

/** Edits further apart than this do not conflict; a conflict stays listed for the same time. */
const WINDOW_MS = 300_000
/** Most events match none of these kinds, so they are skipped without being parsed. */
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

/**
 * Gives a file one name however agents spell it: absolute, relative to their folder, or with `..` segments.
 */
interface FileNames {
  readonly setFolder: (session: string, cwd: string) => void
  readonly canonicalName: (session: string, file: string) => string
}

const MOST_FOLDERS = 5_000
/** No path can contain a NUL byte, so it separates safely. */
const SEPARATOR = '\0'

/** `feed` delivers rows as they are stored. */
export function createConflicts(
  store: EventStore,
  now: () => number = Date.now,
  feed: Pick<EventStore, 'subscribe'> = store,
): Conflicts {
  const edits = createEdits(WINDOW_MS)
  const names = createFileNames()
  const stop = new AbortController()

  /** Sessions that a hook started. Their agents are not shown, so they cannot conflict. */
  const hidden = new Set<string>()

  const see = ({ json }: EventRow) => {
    if (json.includes('"from_hook":true')) hide(JSON.parse(json) as StoredEvent)
    if (!MAY_MATTER.test(json)) return
    const event = JSON.parse(json) as StoredEvent
    if (hidden.has(sessionKey(event))) return
    const agent = {
      source: event.source,
      session_id: event.session_id,
      agent_id: readAgentId(event) ?? 'main',
    }
    if (isKind(event, 'session_start')) {
      if (event.cwd) names.setFolder(sessionKey(event), event.cwd)
    } else if (isKind(event, 'tool_use') && typeof event.file === 'string')
      edits.recordEdit(names.canonicalName(sessionKey(event), event.file), agent, event.ts)
    else if (isKind(event, 'agent_spawn') || isKind(event, 'agent_link')) recordRelation(agent, event)
    else if (isKind(event, 'agent_done') || isKind(event, 'agent_lost')) edits.endEdits(agent)
    else if (isKind(event, 'session_end')) edits.endSessionEdits(event.source, event.session_id)
  }

  const recordRelation = (agent: Editor, event: StoredEvent) => {
    if (typeof event.id !== 'string') return
    if (isKind(event, 'agent_spawn')) edits.recordStart(agent, event.ts)
    if (typeof event.parent_id === 'string') edits.recordParent(agent, event.parent_id)
    if (event.status === 'completed' || event.status === 'failed') edits.endEdits(agent)
  }

  const hide = (event: StoredEvent) => {
    hidden.add(sessionKey(event))
    for (const oldest of hidden) {
      if (hidden.size <= MOST_HIDDEN) break
      hidden.delete(oldest)
    }
  }

  const start = async () => {
    const head = await store.head()
    const at = head.ok ? head.value.last : 0
    const recentSessions = await store.sessions({ limit: MOST_SESSIONS })
    for (const session of recentSessions.ok ? recentSessions.value.value.toReversed() : [])
      if (session.cwd !== null) names.setFolder(sessionKey(session), session.cwd)
    for (const row of await recent(store, at, now() - WINDOW_MS)) see(row)
    await follow(feed, at, see, stop.signal)
  }

  const following = start()
  return {
    list: () => edits.listConflicts(now()).map((each) => ({ ...each, file: toFileName(each.file) })),
    stop: async () => {
      stop.abort()
      await following
    },
  }
}

/** Reads the events shortly before the start, oldest first. */
async function recent(store: EventStore, head: number, since: number): Promise<readonly EventRow[]> {
  const rows: EventRow[] = []
  let before: number | null = head + 1
  for (let page = 0; page < MOST_PAGES && before !== null; page += 1) {
    const read = await store.read({ before, limit: PAGE }, { kinds: KINDS, since })
    if (!read.ok) break
    rows.push(...read.value.rows)
    before = read.value.next
  }
  return rows.reverse()
}

type Editor = FileConflict['agents'][number]

/** Tracks who edited which file recently, and which edits overlap. */
interface Edits extends Pick<Families, 'recordStart' | 'recordParent'> {
  readonly recordEdit: (file: string, agent: Editor, ts: number) => void
  /** Ends the agent's edits: whoever edits the file afterwards takes over and conflicts with nobody. */
  readonly endEdits: (agent: Editor) => void
  readonly endSessionEdits: (source: string, session: string) => void
  readonly listConflicts: (now: number) => readonly FileConflict[]
}

const MOST_FILES = 5_000
const MOST_AGENTS = 16
const MOST_LISTED = 200

interface Edit {
  readonly agent: Editor
  readonly ts: number
}

interface LastEdit extends Edit {
  over: boolean
  /** Edits by other agents that were still at work. */
  readonly overlapping: readonly Edit[]
}

/**
 * Two agents edit a file at the same time when both are at work and their edits lie no further apart than the
 * window. An agent hands its earlier edits over to every agent it creates afterwards, and to their
 * descendants.
 */
export function createEdits(windowMs: number): Edits {
  const files = new Map<string, Map<string, LastEdit>>()
  const families = createFamilies()

  const end = (isMeant: (agent: Editor) => boolean) => {
    for (const edits of files.values()) {
      for (const edit of edits.values()) if (isMeant(edit.agent)) edit.over = true
    }
  }

  const findConflict = (file: string, edits: Iterable<LastEdit>, since: number): FileConflict | undefined => {
    const party = new Map<string, Edit>()
    for (const edit of edits) {
      if (edit.ts < since) continue
      for (const other of edit.overlapping) {
        if (other.ts < since || families.isHandedOver(other.agent, other.ts, edit.agent)) continue
        for (const one of [other, edit]) {
          const name = editorKey(one.agent)
          if ((party.get(name)?.ts ?? Number.POSITIVE_INFINITY) > one.ts) party.set(name, one)
        }
      }
    }
    if (party.size === 0) return undefined
    const agents = [...party.values()].slice(-MOST_AGENTS)
    return { file, agents: agents.map(({ agent }) => agent), since: Math.min(...agents.map(({ ts }) => ts)) }
  }

  return {
    recordStart: families.recordStart,
    recordParent: families.recordParent,
    recordEdit: (file, agent, ts) => {
      const edits = files.get(file) ?? new Map<string, LastEdit>()
      const key = editorKey(agent)
      const overlapping = new Map(
        (edits.get(key)?.overlapping ?? []).map((other) => [editorKey(other.agent), other]),
      )
      for (const [name, other] of edits) {
        if (name === key || other.over || Math.abs(ts - other.ts) > windowMs) continue
        overlapping.delete(name)
        overlapping.set(name, { agent: other.agent, ts: other.ts })
      }
      dropOldest(overlapping, MOST_AGENTS)
      edits.delete(key)
      edits.set(key, { agent, ts, over: false, overlapping: [...overlapping.values()] })
      dropOldest(edits, MOST_AGENTS)
      files.delete(file)
      files.set(file, edits)
      dropOldest(files, MOST_FILES)
    },
    endEdits: (agent) => end((other) => editorKey(other) === editorKey(agent)),
    endSessionEdits: (source, session) =>
      end((other) => other.source === source && other.session_id === session),
    listConflicts: (now) => {
      const found: FileConflict[] = []
      for (const [file, edits] of files) {
        if ([...edits.values()].every(({ ts }) => now - ts > windowMs)) files.delete(file)
        const conflict = findConflict(file, edits.values(), now - windowMs)
        if (conflict !== undefined) found.push(conflict)
      }
      return found.reverse().slice(0, MOST_LISTED)
    },
  }
}

function createFileNames(): FileNames {
  const folders = new Map<string, string>()
  return {
    setFolder: (session, cwd) => {
      folders.delete(session)
      folders.set(session, cwd)
      dropOldest(folders, MOST_FOLDERS)
    },
    canonicalName: (session, file) => {
      if (posix.isAbsolute(file)) return posix.normalize(file)
      if (win32.isAbsolute(file)) return win32.normalize(file)
      const cwd = folders.get(session)
      // Without a known working folder a relative path identifies the file only within its session.
      if (cwd === undefined) return `${session}${SEPARATOR}${posix.normalize(file)}`
      return posix.isAbsolute(cwd) ? posix.join(cwd, file) : win32.join(cwd, file)
    },
  }
}

/** Returns the file name as it is shown to people. */
const toFileName = (name: string): string => name.slice(name.lastIndexOf(SEPARATOR) + 1)
