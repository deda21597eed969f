import type { FoundMessage } from '@panoptes/schema'
import { toSessionKey } from '../live/data/agent-key.ts'

/** The search hits of one session, best first. */
export interface HitGroup {
  readonly key: string
  readonly hits: readonly [FoundMessage, ...FoundMessage[]]
}

/** Groups hits by session, in the order of the best hit of each. */
export function groupHits(hits: readonly FoundMessage[]): readonly HitGroup[] {
  const groups = new Map<string, [FoundMessage, ...FoundMessage[]]>()
  for (const hit of hits) {
    const key = toSessionKey(hit)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [hit])
    // Pages of a search can overlap when the index grew between the requests.
    else if (!group.some(({ n }) => n === hit.n)) group.push(hit)
  }
  return [...groups].map(([key, found]) => ({ key, hits: found }))
}
