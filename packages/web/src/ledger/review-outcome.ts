import type { SkillChange, SkillReviewReply } from '@panoptes/schema'

/** What came of a review: how many changes were made, and those that were not. A skill that is only told of is neither. */
export function cameOf({ changes }: Pick<SkillReviewReply, 'changes'>): {
  readonly made: number
  readonly failed: readonly SkillChange[]
} {
  const asked = changes.filter(({ action }) => action !== 'none')
  const made = asked.filter(({ done }) => done).length
  return { made, failed: asked.filter(({ done, problem }) => !done && problem !== null) }
}
