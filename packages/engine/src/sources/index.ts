export { claudeCodeSource } from './claude-code/index.ts'
export type { Listed, ListRecord, SessionRecord, SessionSource } from './port.ts'
