export { agentFilesOf, projectsFolder, transcriptsIn } from './claude-code/places.ts'
export type { Listed, ListRecord, SessionRecord, SessionSource } from './port.ts'
export { openSources } from './registry.ts'
