import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { failureOf } from './failures.ts'
import { acquireLock, type Lock } from './lock.ts'

/** Holds the place of the one writer without making a ledger: for who needs the home to itself and has nothing to write there. */
export function lockLedger(file: string): Result<Lock> {
  try {
    return success(acquireLock(file))
  } catch (error) {
    return failureOf(error, file)
  }
}
