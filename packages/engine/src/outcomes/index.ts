export { createSkillNames, openReview, type ReviewOptions } from './open.ts'
export { generateSpans } from './otlp/spans.ts'
export type { Review } from './outcomes.ts'
export { skillUseEvent } from './skills/review-log.ts'
