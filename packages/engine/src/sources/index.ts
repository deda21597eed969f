export { agentFilesOf, projectsFolder, transcriptsIn } from './claude-code/places.ts'
export { type CopyOptions, copySessions } from './copy/copy.ts'
export type { CopyStatus, SessionCopy, TranscriptReceiver } from './copy/port.ts'
export { receiverOf } from './copy/receiver.ts'
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
export { openLocalSources, openSources } from './registry.ts'
