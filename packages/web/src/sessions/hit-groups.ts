import type { FoundMessage } from '@panoptes/schema'
import { sessionKeyOf } from '../live/data/key.ts'

/** What a search found in one session, the best first. */
export interface HitGroup {
  readonly key: string
  readonly hits: readonly [FoundMessage, ...FoundMessage[]]
}

/** Sessions in the order of their best hit. */
export function groupHits(hits: readonly FoundMessage[]): readonly HitGroup[] {
  const groups = new Map<string, [FoundMessage, ...FoundMessage[]]>()
  for (const hit of hits) {
    const key = sessionKeyOf(hit)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [hit])
    // Parts of a search may overlap when something was read in between.
    else if (!group.some(({ n }) => n === hit.n)) group.push(hit)
  }
  return [...groups].map(([key, found]) => ({ key, hits: found }))
}
