import type { OutlinedAgent } from '@panoptes/schema'
import { useMemo } from 'react'
import { agentsAbove } from './loose.ts'
import { slotId } from './slots.tsx'
import { type Arranged, MAIN } from './thread.ts'

export interface Target {
  /** The message as it shows: that of the call where a result was asked for. */
  readonly n: number | null
  /** The agents it is under. */
  readonly above: ReadonlySet<string>
  /** What holds it on the page, from the message itself outwards. */
  readonly places: readonly string[]
}

/** Where a message shows that was asked for by its place in the session. */
export function useTarget(
  n: number | undefined,
  arranged: Arranged | undefined,
  agents: ReadonlyMap<string, OutlinedAgent>,
): Target {
  const shown = n === undefined ? undefined : arranged?.shownAt.get(n)
  const at = shown?.n
  const agent = shown?.agent
  return useMemo(() => {
    if (at === undefined || agent === undefined) return { n: null, above: new Set(), places: [] }
    const above = agentsAbove(agent, agents)
    const slots = above.flatMap((id) => {
      const made = agents.get(id)
      return made?.made_at == null ? [] : [slotId(made.parent_id ?? MAIN, made.made_at)]
    })
    return { n: at, above: new Set(above), places: [`message-${at}`, slotId(agent, at), ...slots] }
  }, [at, agent, agents])
}
