export type { Review } from './review.ts'
