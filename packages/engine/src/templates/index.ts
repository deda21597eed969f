export { safeName } from './names.ts'
export { openTemplates, type TemplatesOptions } from './open.ts'
export type { Opening, Past, SessionWork, WorkQuery } from './past.ts'
export type { SessionStart, SuggestQuery, Templates } from './templates.ts'
