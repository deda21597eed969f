import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import { words } from '../words.ts'

const w = words.achievements.news
const MOST = 3
const AGAIN_MS = 60_000

type News = (view: AchievementsView, items: readonly AchievementItem[]) => readonly string[]

/**
 * What is said of achievements that were just unlocked. What counts both for every agent and for Hermes alone is told twice and
 * said once; many at a time are one sentence.
 */
export function createNews(now: () => number = Date.now): News {
  const told = new Map<string, { readonly view: AchievementsView; readonly at: number }>()
  return (view, items) => {
    for (const [id, { at }] of told) if (now() - at > AGAIN_MS) told.delete(id)
    const fresh = items.filter(({ id }) => (told.get(id)?.view ?? view) === view)
    for (const { id } of fresh) told.set(id, { view, at: now() })
    if (fresh.length > MOST) return [w.many(fresh.length)]
    return fresh.map(({ name, tier }) => w.one(name, tier))
  }
}
