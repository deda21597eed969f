import type { AchievementItem, AchievementsView } from '@panoptes/schema'

export const SORTS = ['closest', 'newest', 'name', 'catalogue'] as const
export type Sort = (typeof SORTS)[number]

export const STATES = [
  'unlocked',
  'discovered',
  'secret',
] as const satisfies readonly AchievementItem['state'][]
export type State = (typeof STATES)[number]

/** The address of the page; missing parts take their defaults. */
export interface AchievementsSearch {
  readonly source?: Exclude<AchievementsView, 'all'>
  readonly category?: string
  readonly state?: State
  readonly sort?: Exclude<Sort, 'closest'>
}

const LONGEST = 100

export function readSearch(raw: Record<string, unknown>): AchievementsSearch {
  const { category } = raw
  const state = STATES.find((one) => one === raw.state)
  const sort = SORTS.find((one) => one === raw.sort)
  return {
    ...(raw.source === 'hermes' ? { source: 'hermes' } : {}),
    ...(typeof category === 'string' && category !== '' ? { category: category.slice(0, LONGEST) } : {}),
    ...(state ? { state } : {}),
    ...(sort && sort !== 'closest' ? { sort } : {}),
  }
}
