import type { AchievementsReply } from '@panoptes/schema'
import { RequestFailure } from '../api/request.ts'
import { seen } from '../sessions/plain.ts'
import { words } from '../words.ts'

const w = words.achievements

/** Panoptes did not answer at all, so that nothing can be begun there either. */
export const isUnreachable = (failure: Error | null): boolean =>
  failure instanceof RequestFailure && failure.status === 0

interface Refusal {
  readonly said: string
  readonly isUnreachable: boolean
}

/** What went wrong with the last count, in words; nothing where all is well. */
export function faultOf(
  reply: AchievementsReply | undefined,
  refused: Refusal | null,
  now: number,
): string | undefined {
  const old = reply && reply.generated_at > 0 ? [w.failedOld(words.ago(reply.generated_at * 1_000, now))] : []
  if (refused !== null) {
    const { said } = refused
    return [refused.isUnreachable ? `${w.loadFailed} ${said}` : w.failed(said), ...old].join(' ')
  }
  if (reply === undefined) return undefined
  if (reply.error !== null) return [w.failed(seen(reply.error)), ...old].join(' ')
  // Of some agents alone: what is shown counts the others as they are now.
  const { error } = reply.scan_meta
  return error === null ? undefined : w.failedPartly(seen(error))
}
