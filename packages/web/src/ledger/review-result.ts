import type { SkillChange, SkillReviewReply } from '@panoptes/schema'

/** The result of a review: how many changes were applied and which failed. Skills that stay as they are count as neither. */
export function reviewResult({ changes }: Pick<SkillReviewReply, 'changes'>): {
  readonly made: number
  readonly failed: readonly SkillChange[]
} {
  const actionable = changes.filter(({ action }) => action !== 'none')
  const made = actionable.filter(({ done }) => done).length
  return { made, failed: actionable.filter(({ done, problem }) => !done && problem !== null) }
}
