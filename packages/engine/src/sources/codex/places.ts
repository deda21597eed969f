import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Failure } from '@panoptes/schema'
import { toFailure } from '../failures.ts'
import { readEntries } from '../folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where Codex keeps its sessions. */
export const codexHome = (env: Environment = process.env): string =>
  env.CODEX_HOME || join(env.HOME || homedir(), '.codex')

/** Rollouts lie in `sessions/<year>/<month>/<day>`, archived ones in a single folder. */
export const ROLLOUT_FOLDERS = ['sessions', 'archived_sessions'] as const
export const TITLES_FILE = 'session_index.jsonl'
export const MOST_DEPTH = 4

const ROLLOUT = /^rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?(.+?)\.jsonl(\.zst)?$/

export interface RolloutFile {
  /** The id of the thread, from the file name. */
  readonly id: string
  readonly path: string
}

/** Returns the thread of a file; undefined for any other file. */
export const threadIn = (name: string): string | undefined => ROLLOUT.exec(name)?.[1]

/**
 * Lists every rollout of a home. A rollout may exist twice while Codex compresses or archives it; the plain
 * file precedes the compressed one, and the active folder precedes the archive. Unreadable folders are passed
 * to `failed`, and the rest is listed.
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
  const entries = await readEntries(folder).catch((error: unknown) => {
    failed(toFailure(error, folder))
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
