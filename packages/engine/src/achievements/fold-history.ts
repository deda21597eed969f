import type { FoldReader } from '@panoptes/engine/sources'
import { failure } from '@panoptes/schema/result'
import { CONTRIBUTION } from './fold/index.ts'
import type { History, Scanned } from './history.ts'

/**
 * The sessions of any other source, counted when they were read. A copy stays a copy even after its original is
 * gone, because the original was counted.
 */
export const openFoldHistory = (source: string, folds: FoldReader): History => ({
  source,
  mark: () => undefined,
  list: async () => {
    const listed = await folds.list(CONTRIBUTION, source)
    if (!listed.ok) return listed
    const sessions = listed.value.map(({ version, ...about }) => ({
      ...{ id: about.id, fingerprint: version, apart: false, about },
    }))
    return { sessions, skipped: [] }
  },
  scan: async (batch) => {
    const found = await folds.read<Scanned>(
      CONTRIBUTION,
      source,
      batch.map(({ id }) => id),
    )
    if (!found.ok) return found
    return batch.map(
      ({ id }) => found.value.get(id) ?? failure('not_found', `The session ${id} was forgotten meanwhile.`),
    )
  },
  close: () => undefined,
})
