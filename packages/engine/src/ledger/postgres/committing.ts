import type { Failure, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Batch, Written } from '../append-queue.ts'
import { failureOf, isUnreachable } from './failures.ts'
import type { Writer } from './writer.ts'

type Commit = (batches: readonly Batch[]) => Promise<Result<readonly (Written | Failure)[]>>

/** Writes what several hand in at once in one commit, and tells each of them how it went; `stored` hears of the last number. */
export function committing(writer: Writer, where: string, stored: (last: number) => void): Commit {
  const commit: Commit = async (batches) => {
    try {
      const written = await writer.append(batches)
      stored(written.at(-1)?.last ?? 0)
      return success(written)
    } catch (error) {
      const told = failureOf(error, where)
      if (isUnreachable(told)) return told
      if (batches.length > 1) return success(await each(batches))
      return told.code === 'io' ? blamed(told) : told
    }
  }

  /** One caller's bad batch must not fail the others that were merged with it. */
  const each = async (batches: readonly Batch[]): Promise<readonly (Written | Failure)[]> => {
    const results: (Written | Failure)[] = []
    for (const batch of batches) {
      const one = await commit([batch])
      results.push(one.ok ? (one.value[0] ?? failure('io', 'Nothing was stored.')) : one)
    }
    return results
  }

  /** Only where the tables take other events something is wrong with those that were given. */
  const blamed = async (told: Failure): Promise<Failure> => {
    try {
      await writer.probe()
      return told
    } catch {
      return failure('busy', told.message)
    }
  }

  return commit
}
