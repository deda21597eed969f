export { PERMISSION_REQUEST } from './events.ts'
export { claudeCodeHooks } from './read.ts'
