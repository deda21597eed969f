import type { FoundMessage, PastSession } from '@panoptes/schema'
import { sessionKeyOf } from '../../live/data/key.ts'
import { groupHits } from '../../sessions/hit-groups.ts'
import type { Origin } from '../making.ts'

/** A session to choose, with what is known of it. */
export interface Choice extends Origin {
  readonly calls: number | null
  readonly at: number | null
}

/** All that called a tool while nothing is typed; else those with the words in their name, then those with them in what was said. */
export function choicesOf(
  known: readonly PastSession[],
  hits: readonly FoundMessage[],
  q: string,
): readonly Choice[] {
  const typed = q.toLowerCase().split(/\s+/).filter(Boolean)
  // Of one without calls no template can be made.
  const able = known.filter(({ tool_calls }) => tool_calls > 0)
  if (typed.length === 0) return able.map(ofSession)
  const named = able.filter(({ title, project, id }) => {
    const text = [title, project, id].join(' ').toLowerCase()
    return typed.every((word) => text.includes(word))
  })
  const keys = new Set(named.map(keyOf))
  const byKey = new Map(known.map((one) => [keyOf(one), one]))
  const said = groupHits(hits)
    .filter(({ key }) => !keys.has(key) && byKey.get(key)?.tool_calls !== 0)
    .map(({ key, hits: [best] }) => {
      const session = byKey.get(key)
      return session ? ofSession(session) : ofHit(best)
    })
  return [...named.map(ofSession), ...said]
}

const keyOf = ({ source, id }: PastSession): string => sessionKeyOf({ source, session_id: id })

const ofSession = ({ source, id, title, project, tool_calls, last_at, started_at }: PastSession): Choice => ({
  source,
  id,
  title,
  project,
  calls: tool_calls,
  at: last_at ?? started_at,
})

const ofHit = ({ source, session_id: id, title, project, ts }: FoundMessage): Choice => ({
  source,
  id,
  title,
  project,
  calls: null,
  at: ts,
})
