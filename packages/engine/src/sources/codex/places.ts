import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Failure } from '@panoptes/schema'
import { failureOf } from '../failures.ts'
import { entriesOf } from '../folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where Codex keeps its sessions. */
export const codexHome = (env: Environment = process.env): string =>
  env.CODEX_HOME || join(env.HOME || homedir(), '.codex')

/** Rollouts lie in `sessions/<year>/<month>/<day>`, archived ones in one folder. */
export const ROLLOUT_FOLDERS = ['sessions', 'archived_sessions'] as const
export const TITLES_FILE = 'session_index.jsonl'
export const MOST_DEPTH = 4

const ROLLOUT = /^rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(.+?)\.jsonl(\.zst)?$/

export interface RolloutFile {
  /** Of the thread, by the name of the file. */
  readonly id: string
  readonly path: string
}

/** The thread that a file is of; nothing for any other file. */
export const threadIn = (name: string): string | undefined => ROLLOUT.exec(name)?.[1]

/**
 * Every rollout of a home. Of one that is there twice, as it is while Codex packs or archives it, the first counts: the plain file
 * before the packed one, and what is at work before the archive. A folder that cannot be read is told to `failed`, and the rest is looked at.
 */
export async function rolloutsIn(
  home: string,
  failed: (failure: Failure) => void,
): Promise<readonly RolloutFile[]> {
  const found = new Map<string, RolloutFile>()
  for (const name of ROLLOUT_FOLDERS)
    for (const file of await rolloutsBelow(join(home, name), MOST_DEPTH, failed))
      if (!found.has(file.id)) found.set(file.id, file)
  return [...found.values()]
}

async function rolloutsBelow(
  folder: string,
  depth: number,
  failed: (failure: Failure) => void,
): Promise<readonly RolloutFile[]> {
  const found: RolloutFile[] = []
  const entries = await entriesOf(folder).catch((error: unknown) => {
    failed(failureOf(error, folder))
    return []
  })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth > 1) found.push(...(await rolloutsBelow(path, depth - 1, failed)))
      continue
    }
    const id = entry.isFile() ? threadIn(entry.name) : undefined
    if (id !== undefined) found.push({ id, path })
  }
  return found
}
