export { PERMISSION_REQUEST } from './events.ts'
export { parseQuestions, QUESTION_TOOL, type Questions } from './questions.ts'
export { createClaudeCodeHooks } from './read.ts'
