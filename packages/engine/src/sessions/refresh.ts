import type { SessionIndex } from '@panoptes/engine/ledger'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Failure, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { ReadPart } from './read-part.ts'

export interface Progress {
  /** Sessions that were read, of those that changed. */
  readonly done: number
  readonly total: number
}

export interface Refreshed {
  readonly read: number
  readonly dropped: number
  readonly unchanged: number
  /** What could not be read. */
  readonly problems: readonly Failure[]
}

export interface RefreshOptions {
  readonly source: SessionSource
  readonly index: SessionIndex
  /** Reads these sessions of the source, in their order. */
  readonly read: (listed: readonly Listed[], signal?: AbortSignal) => AsyncIterable<ReadPart>
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Brings the index up to date with one source: only sessions whose fingerprint changed are read, the newest first. Stopped
 * half-way it goes on there the next time.
 */
export async function refresh(options: RefreshOptions): Promise<Result<Refreshed>> {
  const { source, index, signal } = options
  const known = await index.known(source.name)
  if (!known.ok) return known
  const problems: Failure[] = []
  const there = new Set<string>()
  const changed: Listed[] = []
  let listedAll = true
  for await (const record of source.list(signal)) {
    if (record.kind === 'failed') {
      problems.push(record.failure)
      listedAll = false
      continue
    }
    there.add(record.id)
    if (known.value.get(record.id) !== record.fingerprint) changed.push(record)
  }
  // What could not be listed is not gone.
  const gone = listedAll && !signal?.aborted ? [...known.value.keys()].filter((id) => !there.has(id)) : []
  const batch = index.batch()
  let written = await batch.add(gone.map((id) => ({ type: 'drop', source: source.name, id })))
  let done = 0
  if (written.ok && changed.length > 0) {
    for await (const part of options.read(changed, signal)) {
      written = await batch.add(part.changes)
      problems.push(...part.problems)
      done += part.done
      options.onProgress?.({ done, total: changed.length })
      if (!written.ok || signal?.aborted) break
    }
  }
  if (written.ok) written = await batch.end()
  if (!written.ok) return written
  return success({ read: done, dropped: gone.length, unchanged: there.size - changed.length, problems })
}
