import type { IndexStatus } from '@panoptes/schema'

/** A source may still be on its first read or may have failed, so an empty result is not proof of absence. */
export function notYetRead(
  statuses: Iterable<IndexStatus>,
  through: ReadonlySet<string>,
): string | undefined {
  const notes: string[] = []
  for (const { source, state, done, total } of statuses) {
    if (through.has(source)) continue
    if (state === 'failed') notes.push(`sessions of ${source} could not be read`)
    else if (state === 'paused') notes.push(`reading sessions of ${source} is paused`)
    else if (done < total) notes.push(`sessions of ${source} are still being read, ${done} of ${total}`)
  }
  return notes.length === 0 ? undefined : notes.join('; ')
}
