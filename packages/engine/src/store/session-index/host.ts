import type { SessionRef } from '@panoptes/schema'

const HUB = 'hub:'
/** Conversations of a hub belong to no computer. */
const OWN = 'panoptes'

/**
 * The computer named in a stored session's place, or null. Both engines use it with the table of sessions as
 * `s`.
 */
export const HOST = `CASE WHEN s.source <> '${OWN}' AND substr(s.place, 1, ${HUB.length}) = '${HUB}'
  THEN substr(s.place, ${HUB.length + 1}, length(s.place) - length(s.id) - ${HUB.length + 1}) END`

export function hostIn({ source, id }: SessionRef, place: string): string | undefined {
  const end = `#${id}`
  if (source === OWN || !place.startsWith(HUB) || !place.endsWith(end)) return undefined
  return place.slice(HUB.length, -end.length)
}
