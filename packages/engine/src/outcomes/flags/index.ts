export { createFlagWatch, type FlagWatch } from './watch.ts'
