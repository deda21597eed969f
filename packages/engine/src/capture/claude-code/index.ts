export { PERMISSION_REQUEST } from './events.ts'
export { QUESTION_TOOL, type Questions, questionsOf } from './questions.ts'
export { createClaudeCodeHooks } from './read.ts'
export { DENIED_ON_PAGE } from './results.ts'
