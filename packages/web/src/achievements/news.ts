import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import { words } from '../words.ts'

const w = words.achievements.news
const MOST = 3
const AGAIN_MS = 60_000

/** What is said of what a view unlocked, to somebody who looks at cards of a view, or at none (null). */
type News = (
  view: AchievementsView,
  items: readonly AchievementItem[],
  looksAt: AchievementsView | null,
) => readonly string[]

/**
 * What is said of achievements that were just unlocked. What counts both for every agent and for Hermes alone is told twice and
 * said once; many at a time are one sentence.
 */
export function createNews(now: () => number = Date.now): News {
  const told = new Map<string, { readonly view: AchievementsView; readonly at: number }>()
  return (view, items, looksAt) => {
    for (const [id, { at }] of told) if (now() - at > AGAIN_MS) told.delete(id)
    const fresh = items.filter(({ id }) => (told.get(id)?.view ?? view) === view)
    for (const { id } of fresh) told.set(id, { view, at: now() })
    const said =
      fresh.length > MOST ? [w.many(fresh.length)] : fresh.map(({ name, tier }) => w.one(name, tier))
    // The card beside it may still be locked, as other sessions count there.
    if (looksAt === null || looksAt === view) return said
    return said.map((text) => w.elsewhere(text, words.achievements.sources[view]))
  }
}
