import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import { words } from '../words.ts'

const w = words.achievements.news
const MOST = 3
const AGAIN_MS = 60_000

/** The notice about a view's unlocks for someone who looks at the cards of a view, or of none (null). */
type News = (
  view: AchievementsView,
  items: readonly AchievementItem[],
  looksAt: AchievementsView | null,
) => readonly string[]

/**
 * The notice about new unlocks. An unlock that counts for all agents and for Hermes arrives twice and is
 * announced once; many unlocks make one sentence.
 */
export function createNews(now: () => number = Date.now): News {
  const recent = new Map<string, { readonly view: AchievementsView; readonly at: number }>()
  return (view, items, looksAt) => {
    for (const [id, { at }] of recent) if (now() - at > AGAIN_MS) recent.delete(id)
    const fresh = items.filter(({ id }) => (recent.get(id)?.view ?? view) === view)
    for (const { id } of fresh) recent.set(id, { view, at: now() })
    const messages =
      fresh.length > MOST ? [w.many(fresh.length)] : fresh.map(({ name, tier }) => w.one(name, tier))
    // The card beside it may still be locked because that view counts other sessions.
    if (looksAt === null || looksAt === view) return messages
    return messages.map((text) => w.elsewhere(text, words.achievements.sources[view]))
  }
}
