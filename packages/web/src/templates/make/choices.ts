import type { FoundMessage, PastSession } from '@panoptes/schema'
import { pastSessionKey } from '../../live/data/agent-key.ts'
import { groupHits } from '../../sessions/hit-groups.ts'
import type { Origin } from '../make-dialog-state.ts'

/** A session that a template can be made from. Fields that a search hit does not state are null. */
export interface Choice extends Origin {
  readonly calls: number | null
  readonly at: number | null
}

/**
 * Without a query, all sessions that called a tool. With one, first the sessions whose name has every word,
 * then those whose messages match.
 */
export function buildChoices(
  sessions: readonly PastSession[],
  hits: readonly FoundMessage[],
  q: string,
): readonly Choice[] {
  const typed = q.toLowerCase().split(/\s+/).filter(Boolean)
  // A template needs at least one tool call.
  const able = sessions.filter(({ tool_calls }) => tool_calls > 0)
  if (typed.length === 0) return able.map(sessionToChoice)
  const named = able.filter(({ title, project, id }) => {
    const text = [title, project, id].join(' ').toLowerCase()
    return typed.every((word) => text.includes(word))
  })
  const keys = new Set(named.map(pastSessionKey))
  const byKey = new Map(sessions.map((one) => [pastSessionKey(one), one]))
  const contentMatches = groupHits(hits)
    .filter(({ key }) => !keys.has(key) && byKey.get(key)?.tool_calls !== 0)
    .map(({ key, hits: [best] }) => {
      const session = byKey.get(key)
      return session ? sessionToChoice(session) : hitToChoice(best)
    })
  return [...named.map(sessionToChoice), ...contentMatches]
}

const sessionToChoice = ({
  source,
  id,
  title,
  project,
  tool_calls,
  last_at,
  started_at,
}: PastSession): Choice => ({
  source,
  id,
  title,
  project,
  calls: tool_calls,
  at: last_at ?? started_at,
})

const hitToChoice = ({ source, session_id: id, title, project, ts }: FoundMessage): Choice => ({
  source,
  id,
  title,
  project,
  calls: null,
  at: ts,
})
