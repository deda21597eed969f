import type { FileConflict } from '@panoptes/schema'

type Editor = FileConflict['agents'][number]

/** Tracks which agent created which, and when each began. */
export interface Families {
  readonly recordStart: (agent: Editor, ts: number) => void
  readonly recordParent: (agent: Editor, parent: string) => void
  /** Returns true when `by` did its work before it created `to` or the ancestor of `to` that it created. */
  readonly isHandedOver: (by: Editor, ts: number, to: Editor) => boolean
}

const MAIN = 'main'
const MAX_AGENTS = 10_000
const DEEPEST = 64

interface FamilyMember {
  began: number | null
  /** The session's own agent until an event names another parent. */
  parent: string | null
}

export function createFamilies(): Families {
  const members = new Map<string, FamilyMember>()

  const findMember = (agent: Editor): FamilyMember => {
    const name = editorKey(agent)
    const found = members.get(name) ?? { began: null, parent: agent.agent_id === MAIN ? null : MAIN }
    members.set(name, found)
    dropOldest(members, MAX_AGENTS)
    return found
  }

  return {
    recordStart: (agent, ts) => {
      findMember(agent).began = ts
    },
    recordParent: (agent, parent) => {
      if (parent !== agent.agent_id) findMember(agent).parent = parent
    },
    isHandedOver: (by, ts, to) => {
      if (by.source !== to.source || by.session_id !== to.session_id) return false
      let child = to
      for (let level = 0; level < DEEPEST; level += 1) {
        const { parent, began } = members.get(editorKey(child)) ?? { parent: null, began: null }
        if (parent === by.agent_id) return began !== null && ts <= began
        if (parent === null) return false
        child = { ...child, agent_id: parent }
      }
      return false
    },
  }
}

export const editorKey = ({ source, session_id, agent_id }: Editor): string =>
  JSON.stringify([source, session_id, agent_id])

/** Returns one key per session, whatever its source and id contain. */
export const sessionKey = ({ source, session_id }: Pick<Editor, 'source' | 'session_id'>): string =>
  JSON.stringify([source, session_id])

export function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
