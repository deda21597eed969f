import type { Failure, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Batch, Written } from '../append-queue.ts'
import { isUnreachable, toFailure } from './failures.ts'
import type { Writer } from './writer.ts'

type Commit = (batches: readonly Batch[]) => Promise<Result<readonly (Written | Failure)[]>>

/**
 * Writes batches that arrive together in one commit and reports each one's result. `stored` is called with
 * the last seq.
 */
export function createGroupCommit(writer: Writer, where: string, stored: (last: number) => void): Commit {
  const commit: Commit = async (batches) => {
    try {
      const written = await writer.append(batches)
      stored(written.at(-1)?.last ?? 0)
      return success(written)
    } catch (error) {
      const reason = toFailure(error, where)
      if (isUnreachable(reason)) return reason
      if (batches.length > 1) return success(await commitOneByOne(batches))
      return reason.code === 'io' ? findReason(reason) : reason
    }
  }

  /** Retries batches one by one, because a bad batch must not fail the others that were merged with it. */
  const commitOneByOne = async (batches: readonly Batch[]): Promise<readonly (Written | Failure)[]> => {
    const results: (Written | Failure)[] = []
    for (const batch of batches) {
      const one = await commit([batch])
      results.push(one.ok ? (one.value[0] ?? failure('io', 'Nothing was stored.')) : one)
    }
    return results
  }

  /** Blames the given events only if the tables accept other events. */
  const findReason = async (reason: Failure): Promise<Failure> => {
    try {
      await writer.probe()
      return reason
    } catch {
      return failure('busy', reason.message)
    }
  }

  return commit
}
