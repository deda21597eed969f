export { openReview, type ReviewOptions } from './open.ts'
export type { Review } from './review.ts'
export { skillUseEvent } from './skills/index.ts'
