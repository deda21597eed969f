export {
  type ArchivedListed,
  type ArchivedSource,
  type ArchiveSettings,
  createKeeps,
  type Keeps,
  readArchive,
  throughArchive,
  withArchive,
} from './archived-source.ts'
export { copiedRows } from './claude-code/copies.ts'
export { Originals } from './claude-code/originals.ts'
export { listAgentFiles, projectsFolder, transcriptsIn } from './claude-code/places.ts'
export { DENIED_ON_PAGE, INTERRUPTED, isDenied } from './claude-code/results.ts'
export { rowKey } from './claude-code/row-key.ts'
export { watchProjects } from './claude-code/watch.ts'
export { type Fold, type Folded, type FoldRun, ownFingerprint } from './fold.ts'
export { type FoldedListed, FoldReader, type ReadSessions } from './fold-reader.ts'
export {
  type CountedPart,
  type CountedRow,
  type CountedSession,
  type HermesHistory,
  hermesFailure,
  hermesHistory,
} from './hermes/history.ts'
export { type HermesState, hermesState } from './hermes/new-messages.ts'
export { isHermesNotice } from './hermes/notice.ts'
export { hermesToolSucceeded } from './hermes/outcome.ts'
export { hermesHome, stateFilesIn } from './hermes/places.ts'
export {
  hermesKeepsPluginData,
  hermesPackageVersion,
  hermesSendsWebhooks,
  installedHermesVersion,
} from './hermes/version.ts'
export { Pace } from './pace.ts'
export type { Listed, ListRecord, SessionFiles, SessionRecord, SessionSource, Worked } from './port.ts'
export { openLocalSources, openSources } from './registry.ts'
export { readRetention } from './retention.ts'
export { type CopyOptions, copySessions } from './uploader/copy.ts'
export type { CopyStatus, SessionCopy, TranscriptReceiver } from './uploader/port.ts'
export { receiverOf } from './uploader/receiver.ts'
export { redactedAgent, redactedChange, redactedMessage, redactedSession } from './uploader/redacted.ts'
