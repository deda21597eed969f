import type { AchievementItem } from '@panoptes/schema'

type Ids = ReadonlySet<string>

const isAmong = (one: { readonly session_id: string } | null | undefined, ids: Ids): boolean =>
  one !== null && one !== undefined && ids.has(one.session_id)

/** True if it links to one of these sessions. */
export const namesOne = ({ evidence, best_session: best }: AchievementItem, ids: Ids): boolean =>
  isAmong(evidence, ids) || isAmong(best, ids)

/** Removes links to these sessions. */
export function unnamed(item: AchievementItem, ids: Ids): AchievementItem {
  if (!namesOne(item, ids)) return item
  const { best_session: best, ...rest } = item
  return {
    ...rest,
    ...(isAmong(rest.evidence, ids) && { evidence: null }),
    ...(best && !ids.has(best.session_id) && { best_session: best }),
  }
}
