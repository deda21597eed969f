import { existsSync } from 'node:fs'
import { readRetention } from '@panoptes/engine/sources'
import { type ArchiveCount, openSqliteIndex } from '@panoptes/engine/store'
import type { FoundSource, Result, SavedSessions } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'

type SavedBySource = ReadonlyMap<string, SavedSessions>
type Environment = Readonly<Record<string, string | undefined>>

/** Adds to the agents on this computer how long they keep their sessions, and what Panoptes has saved of them. */
export async function withSavedSessions(
  env: Environment,
  found: readonly FoundSource[],
  readSaved: () => Promise<Result<SavedBySource>>,
): Promise<readonly FoundSource[]> {
  const [retentions, saved] = await Promise.all([readRetention(env), readSaved()])
  return found.map((source) => {
    const retention = retentions[source.id]
    if (source.kind !== 'agent' || source.state !== 'found' || retention === undefined) return source
    const own = saved.ok ? saved.value.get(source.id) : undefined
    return { ...source, retention, ...(own && { saved: own }) }
  })
}

/** Reads what is saved while no Panoptes is running: what the last one left. */
export async function readSavedOnDisk(
  file: string,
  isArchiving: boolean,
  sources: readonly string[],
): Promise<Result<SavedBySource>> {
  const counts = await readCounts(file)
  if (!counts.ok) return counts
  return success(
    new Map(
      sources.map((source): [string, SavedSessions] => {
        const count = counts.value.find((each) => each.source === source)
        const { sessions = 0, gone: deleted = 0, prompts_only = 0 } = count ?? {}
        return [
          source,
          isArchiving ? { state: 'saved', sessions, deleted, prompts_only } : { state: 'off', sessions },
        ]
      }),
    ),
  )
}

async function readCounts(file: string): Promise<Result<readonly ArchiveCount[]>> {
  if (!existsSync(file)) return success([])
  const index = openSqliteIndex(file, { readOnly: true })
  if (!index.ok) return index
  const counts = (await index.value.archive?.counts()) ?? success([])
  await index.value.close()
  return counts
}
