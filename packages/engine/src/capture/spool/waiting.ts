import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** One payload that waits in the spool. */
export interface WaitingFile {
  readonly name: string
  readonly path: string
  readonly source: string
  readonly mtimeMs: number
  readonly size: number
}

const AT_ONCE = 64
/** A hook that was killed leaves its part behind; by then nobody writes to it any more. */
const LEFT_BEHIND_MS = 600_000
const NAME = /^(\.?)([a-z0-9][a-z0-9._-]*)\.(\d+)\.(\d+)\.(json|part)$/

/** What waits, oldest first; names decide where the clock is too coarse. */
export async function waitingFiles(folder: string, now: number): Promise<readonly WaitingFile[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name))
  const found: WaitingFile[] = []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = await Promise.all(names.slice(at, at + AT_ONCE).map((name) => look(folder, name, now)))
    found.push(...some.flatMap((file) => file ?? []))
  }
  return found.sort(inOrder)
}

async function look(folder: string, name: string, now: number): Promise<WaitingFile | undefined> {
  const path = join(folder, name)
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isFile()) return undefined
  if (name.startsWith('.') && now - found.mtimeMs < LEFT_BEHIND_MS) return undefined
  return { name, path, source: NAME.exec(name)?.[2] ?? '', mtimeMs: found.mtimeMs, size: found.size }
}

function inOrder(a: WaitingFile, b: WaitingFile): number {
  if (a.mtimeMs !== b.mtimeMs) return a.mtimeMs - b.mtimeMs
  const [, , , processA, countA] = NAME.exec(a.name) ?? []
  const [, , , processB, countB] = NAME.exec(b.name) ?? []
  return Number(processA) - Number(processB) || Number(countA) - Number(countB) || (a.name < b.name ? -1 : 1)
}
