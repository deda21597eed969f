import type { FileConflict } from '@panoptes/schema'

type Editor = FileConflict['agents'][number]

/** Who made whom, and when each began. */
export interface Families {
  readonly began: (agent: Editor, ts: number) => void
  readonly madeBy: (agent: Editor, parent: string) => void
  /** Whether what one did at a time was done before it made the other, or the one that made the other. */
  readonly handedOver: (by: Editor, ts: number, to: Editor) => boolean
}

const MAIN = 'main'
const MOST_KNOWN = 10_000
const DEEPEST = 64

interface Known {
  began: number | null
  /** Until somebody says otherwise, the session's own agent. */
  parent: string | null
}

export function createFamilies(): Families {
  const known = new Map<string, Known>()

  const of = (agent: Editor): Known => {
    const name = nameOf(agent)
    const found = known.get(name) ?? { began: null, parent: agent.agent_id === MAIN ? null : MAIN }
    known.set(name, found)
    dropOldest(known, MOST_KNOWN)
    return found
  }

  return {
    began: (agent, ts) => {
      of(agent).began = ts
    },
    madeBy: (agent, parent) => {
      if (parent !== agent.agent_id) of(agent).parent = parent
    },
    handedOver: (by, ts, to) => {
      if (by.source !== to.source || by.session_id !== to.session_id) return false
      let child = to
      for (let level = 0; level < DEEPEST; level += 1) {
        const { parent, began } = known.get(nameOf(child)) ?? { parent: null, began: null }
        if (parent === by.agent_id) return began !== null && ts <= began
        if (parent === null) return false
        child = { ...child, agent_id: parent }
      }
      return false
    },
  }
}

export const nameOf = ({ source, session_id, agent_id }: Editor): string =>
  JSON.stringify([source, session_id, agent_id])

export function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
