export { claudeCodeHooks } from './read.ts'
