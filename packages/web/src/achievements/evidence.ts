import type { AchievementsView } from '@panoptes/schema'
import { getJson } from '../api/request.ts'
import { sessionKeyOf } from '../live/data/key.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The sources that a session may be of, the likeliest first. Evidence names a session by its id alone, as Hermes does; whose
 * ids look how is known, and what is not known is Hermes' own.
 */
export function sourcesOf(id: string, view: AchievementsView): readonly string[] {
  if (view === 'hermes') return ['hermes']
  if (id.startsWith('ses_')) return ['opencode', 'hermes', 'claude-code', 'codex']
  const version = UUID.exec(id)?.[1]
  if (version === '7') return ['codex', 'claude-code', 'hermes', 'opencode']
  if (version !== undefined) return ['claude-code', 'codex', 'hermes', 'opencode']
  return ['hermes', 'claude-code', 'codex', 'opencode']
}

export const likelyKey = (id: string, view: AchievementsView): string =>
  sessionKeyOf({ source: sourcesOf(id, view)[0] ?? 'hermes', session_id: id })

/** The key of the session as Sessions knows it; the likeliest where it is in none of them. */
export async function keyOfEvidence(id: string, view: AchievementsView): Promise<string> {
  const sources = sourcesOf(id, view)
  if (sources.length === 1) return likelyKey(id, view)
  for (const source of sources) {
    const path = `/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(id)}?limit=1`
    const found = await getJson<unknown>(path).then(
      () => true,
      () => false,
    )
    if (found) return sessionKeyOf({ source, session_id: id })
  }
  return likelyKey(id, view)
}
