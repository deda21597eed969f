export { openReview, type ReviewOptions } from './open.ts'
export { spansOf } from './otlp/index.ts'
export type { Review } from './review.ts'
export { skillUseEvent } from './skills/index.ts'
