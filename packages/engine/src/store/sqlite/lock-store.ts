import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { toFailure } from './failures.ts'
import { acquireLock, type Lock } from './lock.ts'

/**
 * Holds the writer's lock without creating a store, for callers that need the home folder to themselves and
 * write nothing there.
 */
export function lockStore(file: string): Result<Lock> {
  try {
    return success(acquireLock(file))
  } catch (error) {
    return toFailure(error, file)
  }
}
