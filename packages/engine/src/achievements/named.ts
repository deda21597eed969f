import type { AchievementItem } from '@panoptes/schema'

type Ids = ReadonlySet<string>

const isOf = (one: { readonly session_id: string } | null | undefined, ids: Ids): boolean =>
  one !== null && one !== undefined && ids.has(one.session_id)

/** Whether it leads to one of these sessions. */
export const namesOne = ({ evidence, best_session: best }: AchievementItem, ids: Ids): boolean =>
  isOf(evidence, ids) || isOf(best, ids)

/** The same without a way to them. */
export function unnamed(item: AchievementItem, ids: Ids): AchievementItem {
  if (!namesOne(item, ids)) return item
  const { best_session: best, ...rest } = item
  return {
    ...rest,
    ...(isOf(rest.evidence, ids) && { evidence: null }),
    ...(best && !ids.has(best.session_id) && { best_session: best }),
  }
}
