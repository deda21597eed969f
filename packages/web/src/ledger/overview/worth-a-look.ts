import type { Claim } from '@panoptes/schema'

const keyOf = ({ source, session_id, message_id, place }: Claim): string =>
  JSON.stringify([source, session_id, message_id, place])

/** Those that did not hold, then of the rest those that were looked up before those that were not; each once. */
export function worthALook(
  failed: readonly Claim[],
  newest: readonly Claim[],
  most: number,
): readonly Claim[] {
  const rest = newest.toSorted(
    (a, b) => Number(a.check.verdict === 'open') - Number(b.check.verdict === 'open'),
  )
  const each = new Map([...failed, ...rest].map((claim) => [keyOf(claim), claim]))
  return [...each.values()].slice(0, most)
}
