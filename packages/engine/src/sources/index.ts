export { agentFilesOf, projectsFolder, transcriptsIn } from './claude-code/places.ts'
export {
  type CountedPart,
  type CountedRow,
  type CountedSession,
  type HermesHistory,
  hermesFailure,
  hermesHistory,
} from './hermes/history.ts'
export { type HermesState, hermesState } from './hermes/newest.ts'
export { hermesHome, stateFilesIn } from './hermes/places.ts'
export { Pace } from './pace.ts'
export type { Listed, ListRecord, SessionRecord, SessionSource, Worked } from './port.ts'
export { openSources } from './registry.ts'
