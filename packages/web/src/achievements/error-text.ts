import type { AchievementsReply } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { RequestFailure } from '../api/request.ts'
import { words } from '../words.ts'

const w = words.achievements

/** Panoptes did not respond, so no scan can be started there either. */
export const isUnreachable = (failure: Error | null): boolean =>
  failure instanceof RequestFailure && failure.status === 0

interface ScanFailure {
  readonly said: string
  readonly isUnreachable: boolean
}

/** What went wrong in the last scan; null if nothing did. */
export function faultText(
  reply: AchievementsReply | undefined,
  refused: ScanFailure | null,
  now: number,
): string | undefined {
  const old = reply && reply.generated_at > 0 ? [w.failedOld(words.ago(reply.generated_at * 1_000, now))] : []
  if (refused !== null) {
    const { said: message } = refused
    return [refused.isUnreachable ? `${w.loadFailed} ${message}` : w.failed(message), ...old].join(' ')
  }
  if (reply === undefined) return undefined
  if (reply.error !== null) return [w.failed(toVisible(reply.error)), ...old].join(' ')
  // Only some agents failed: the numbers include the others as they are now.
  const { error } = reply.scan_meta
  return error === null ? undefined : w.failedPartly(toVisible(error))
}
