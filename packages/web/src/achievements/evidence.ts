import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import { getJson } from '../api/request.ts'
import { toSessionKey } from '../live/data/agent-key.ts'

/** A session that proves an achievement. */
export type NamedSession = NonNullable<AchievementItem['evidence']>

export interface Evidence {
  readonly session: NamedSession
  /** Whether the session unlocked it, contributed most to the total, or came closest so far. */
  readonly what: 'made' | 'most' | 'best'
}

/** The session behind an achievement, if there is one. */
export function findEvidence({ evidence, best_session, unlocked }: AchievementItem): Evidence | undefined {
  if (unlocked && evidence) return { session: evidence, what: 'made' }
  return best_session && { session: best_session, what: unlocked ? 'most' : 'best' }
}

type EvidenceSession = Pick<NamedSession, 'session_id' | 'source'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The possible sources of a session, most likely first. Hermes' plugin names a session by its id alone; some
 * sources have recognizable ids, and all other ids belong to Hermes.
 */
export function possibleSources(
  { session_id: id, source }: EvidenceSession,
  view: AchievementsView,
): readonly string[] {
  if (source !== undefined) return [source]
  if (view === 'hermes') return ['hermes']
  if (id.startsWith('ses_')) return ['opencode', 'hermes', 'claude-code', 'codex']
  const version = UUID.exec(id)?.[1]
  if (version === '7') return ['codex', 'claude-code', 'hermes', 'opencode']
  if (version !== undefined) return ['claude-code', 'codex', 'hermes', 'opencode']
  return ['hermes', 'claude-code', 'codex', 'opencode']
}

export const likelyKey = (session: EvidenceSession, view: AchievementsView): string =>
  toSessionKey({ source: possibleSources(session, view)[0] ?? 'hermes', session_id: session.session_id })

/** The key of the session in Sessions; the most likely one if no source has it. */
export async function findEvidenceKey(session: EvidenceSession, view: AchievementsView): Promise<string> {
  const { session_id } = session
  const sources = possibleSources(session, view)
  if (sources.length === 1) return likelyKey(session, view)
  for (const source of sources) {
    const path = `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(session_id)}?limit=1`
    const found = await getJson<unknown>(path).then(
      () => true,
      () => false,
    )
    if (found) return toSessionKey({ source, session_id })
  }
  return likelyKey(session, view)
}
