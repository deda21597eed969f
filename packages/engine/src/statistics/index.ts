export { type Share, type ShareBounds, wilson } from './wilson.ts'
export { Z } from './z.ts'
