import type { FileConflict } from '@panoptes/schema'

export type Editor = FileConflict['agents'][number]

/** Who edited which file lately. */
export interface Edits {
  readonly edited: (file: string, agent: Editor, ts: number) => void
  /** What the agent did before is finished: who edits after it takes over, and is in nobody's way. */
  readonly ended: (agent: Editor) => void
  readonly sessionEnded: (source: string, session: string) => void
  readonly conflicts: (now: number) => readonly FileConflict[]
}

const MOST_FILES = 5_000
const MOST_AGENTS = 16
const MOST_LISTED = 200

interface Edit {
  readonly agent: Editor
  ts: number
  over: boolean
  /** Since when another agent edits the same file. */
  since: number | null
}

export function createEdits(windowMs: number): Edits {
  const files = new Map<string, Map<string, Edit>>()

  const end = (isMeant: (agent: Editor) => boolean) => {
    for (const edits of files.values()) {
      for (const edit of edits.values()) if (isMeant(edit.agent)) edit.over = true
    }
  }

  return {
    edited: (file, agent, ts) => {
      const edits = files.get(file) ?? new Map<string, Edit>()
      const key = nameOf(agent)
      const others = [...edits.values()].filter(
        (edit) => nameOf(edit.agent) !== key && !edit.over && Math.abs(ts - edit.ts) <= windowMs,
      )
      const since = others.length === 0 ? null : Math.min(ts, ...others.map((edit) => edit.since ?? edit.ts))
      for (const other of others) other.since ??= since
      edits.delete(key)
      edits.set(key, { agent, ts, over: false, since })
      dropOldest(edits, MOST_AGENTS)
      files.delete(file)
      files.set(file, edits)
      dropOldest(files, MOST_FILES)
    },
    ended: (agent) => end((other) => nameOf(other) === nameOf(agent)),
    sessionEnded: (source, session) =>
      end((other) => other.source === source && other.session_id === session),
    conflicts: (now) => {
      const found: FileConflict[] = []
      for (const [file, edits] of files) {
        const fresh = [...edits.values()].filter((edit) => now - edit.ts <= windowMs)
        if (fresh.length === 0) files.delete(file)
        const party = fresh.filter((edit) => edit.since !== null)
        if (party.length < 2) continue
        const since = Math.min(...party.map((edit) => edit.since ?? edit.ts))
        found.push({ file, agents: party.map(({ agent }) => agent), since })
      }
      return found.reverse().slice(0, MOST_LISTED)
    },
  }
}

const nameOf = ({ source, session_id, agent_id }: Editor): string =>
  JSON.stringify([source, session_id, agent_id])

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
