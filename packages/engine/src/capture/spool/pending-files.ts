import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bypass } from '@panoptes/engine/markers'

/** One payload that waits in the spool. */
export interface WaitingFile {
  readonly name: string
  readonly path: string
  readonly source: string
  /** This is true when another session's hook started its session. */
  readonly fromHook: boolean
  /** Tells what the agent's environment excludes from recording. */
  readonly bypass: Bypass
  readonly mtimeMs: number
  readonly size: number
}

const AT_ONCE = 64
/** A killed hook leaves a partial file behind. After this time nobody writes to it any more. */
const LEFT_BEHIND_MS = 600_000
/** Returns true when a change of this name can mean a new payload. */
export const isPayload = (name: string): boolean => !name.startsWith('.') && name.endsWith('.json')

const NAME =
  /^(\.?)([a-z0-9][a-z0-9._-]*)\.(\d+)\.(\d+)(\.from-hook)?(\.no-claims)?(\.no-skills)?\.(json|part)$/

/** Lists the waiting payloads, oldest first. Names break ties where the clock is too coarse. */
export async function waitingFiles(folder: string, now: number): Promise<readonly WaitingFile[]> {
  const names = readdirSync(folder).filter((name) => NAME.test(name))
  // Usually there is one file, and a few short synchronous calls cost less than tasks for the thread pool.
  if (names.length <= AT_ONCE) {
    const stats = names.map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }))
    return names.flatMap((name, index) => toWaitingFile(folder, name, now, stats[index])).sort(inOrder)
  }
  const found: WaitingFile[] = []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE)
    const stats = await Promise.all(some.map((name) => lstat(join(folder, name)).catch(() => undefined)))
    found.push(...some.flatMap((name, index) => toWaitingFile(folder, name, now, stats[index])))
  }
  return found.sort(inOrder)
}

function toWaitingFile(
  folder: string,
  name: string,
  now: number,
  stats: Stats | undefined,
): readonly WaitingFile[] {
  if (!stats?.isFile()) return []
  if (name.startsWith('.') && now - stats.mtimeMs < LEFT_BEHIND_MS) return []
  const { mtimeMs, size } = stats
  const [, , source = '', , , mark, noClaims, noSkills] = NAME.exec(name) ?? []
  const bypass = { claims: noClaims !== undefined, skills: noSkills !== undefined }
  return [{ name, path: join(folder, name), source, fromHook: mark !== undefined, bypass, mtimeMs, size }]
}

function inOrder(a: WaitingFile, b: WaitingFile): number {
  if (a.mtimeMs !== b.mtimeMs) return a.mtimeMs - b.mtimeMs
  const [, , , processA, countA] = NAME.exec(a.name) ?? []
  const [, , , processB, countB] = NAME.exec(b.name) ?? []
  return Number(processA) - Number(processB) || Number(countA) - Number(countB) || (a.name < b.name ? -1 : 1)
}
