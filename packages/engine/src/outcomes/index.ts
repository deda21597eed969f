export { openReview, type ReviewOptions } from './open.ts'
export { generateSpans } from './otlp/index.ts'
export type { Review } from './outcomes.ts'
export { skillUseEvent } from './skills/index.ts'
