import type { ArchiveCount } from '@panoptes/engine/store'
import type { IndexStatus, SavedSessions } from '@panoptes/schema'

export interface SavedInput {
  /** False if the settings turn the archive off. */
  readonly isArchiving: boolean
  /** What is read of the source now, and whether all of it was read since the start. */
  readonly status: IndexStatus
  readonly isComplete: boolean
  /** Absent if nothing of the source is saved. */
  readonly count: ArchiveCount | undefined
}

/** Says what is saved of a source. Counts are left out until the first read is complete. */
export function toSavedSessions({ isArchiving, status, isComplete, count }: SavedInput): SavedSessions {
  const { sessions, gone: deleted, prompts_only } = count ?? { sessions: 0, gone: 0, prompts_only: 0 }
  if (!isArchiving) return { state: 'off', sessions }
  if (isComplete) return { state: 'saved', sessions, deleted, prompts_only }
  if (status.state === 'paused') return { state: 'paused' }
  if (status.state === 'failed')
    return { state: 'failed', problem: status.problem ?? 'The reason is unknown.' }
  return { state: 'reading', done: status.done, total: status.total }
}
