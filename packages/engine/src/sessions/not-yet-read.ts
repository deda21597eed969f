import type { IndexStatus } from '@panoptes/schema'

/** What is not found because it was never read: a source that is read for the first time since the start, or could not be. */
export function notYetRead(
  statuses: Iterable<IndexStatus>,
  through: ReadonlySet<string>,
): string | undefined {
  const notes: string[] = []
  for (const { source, state, done, total } of statuses) {
    if (through.has(source)) continue
    if (state === 'failed') notes.push(`sessions of ${source} could not be read`)
    else if (state === 'paused') notes.push(`sessions of ${source} are not read while it is paused`)
    else if (done < total) notes.push(`sessions of ${source} are still being read, ${done} of ${total}`)
  }
  return notes.length === 0 ? undefined : notes.join('; ')
}
