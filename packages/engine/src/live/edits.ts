import type { FileConflict } from '@panoptes/schema'
import { createFamilies, dropOldest, type Families, nameOf } from './families.ts'

export type Editor = FileConflict['agents'][number]

/** Who edited which file lately, and who did so at the same time. */
export interface Edits extends Pick<Families, 'began' | 'madeBy'> {
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
  readonly ts: number
}

interface LastEdit extends Edit {
  over: boolean
  /** Edits of others who were still at it. */
  readonly met: readonly Edit[]
}

/**
 * Two agents edit a file at the same time when both are at work and their edits lie no further apart than the window. What an
 * agent edited before it made another is handed over to that one, and to those that one makes.
 */
export function createEdits(windowMs: number): Edits {
  const files = new Map<string, Map<string, LastEdit>>()
  const families = createFamilies()

  const end = (isMeant: (agent: Editor) => boolean) => {
    for (const edits of files.values()) {
      for (const edit of edits.values()) if (isMeant(edit.agent)) edit.over = true
    }
  }

  const conflictOf = (file: string, edits: Iterable<LastEdit>, since: number): FileConflict | undefined => {
    const party = new Map<string, Edit>()
    for (const edit of edits) {
      if (edit.ts < since) continue
      for (const other of edit.met) {
        if (other.ts < since || families.handedOver(other.agent, other.ts, edit.agent)) continue
        for (const one of [other, edit]) {
          const name = nameOf(one.agent)
          if ((party.get(name)?.ts ?? Number.POSITIVE_INFINITY) > one.ts) party.set(name, one)
        }
      }
    }
    if (party.size === 0) return undefined
    const agents = [...party.values()].slice(-MOST_AGENTS)
    return { file, agents: agents.map(({ agent }) => agent), since: Math.min(...agents.map(({ ts }) => ts)) }
  }

  return {
    began: families.began,
    madeBy: families.madeBy,
    edited: (file, agent, ts) => {
      const edits = files.get(file) ?? new Map<string, LastEdit>()
      const key = nameOf(agent)
      const met = new Map((edits.get(key)?.met ?? []).map((other) => [nameOf(other.agent), other]))
      for (const [name, other] of edits) {
        if (name === key || other.over || Math.abs(ts - other.ts) > windowMs) continue
        met.delete(name)
        met.set(name, { agent: other.agent, ts: other.ts })
      }
      dropOldest(met, MOST_AGENTS)
      edits.delete(key)
      edits.set(key, { agent, ts, over: false, met: [...met.values()] })
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
        if ([...edits.values()].every(({ ts }) => now - ts > windowMs)) files.delete(file)
        const conflict = conflictOf(file, edits.values(), now - windowMs)
        if (conflict !== undefined) found.push(conflict)
      }
      return found.reverse().slice(0, MOST_LISTED)
    },
  }
}
