import { type Stats, statSync } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Place } from './place.ts'

export interface OpenFile {
  readonly handle: FileHandle
  /** Its device and inode. */
  readonly file: string
}

const fileOf = ({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string => `${dev}:${ino}`

/** The file at the path now; nothing when there is none. */
export function fileAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? fileOf(found) : undefined
}

/** The file to go on with: the one that was being read, also where it was moved aside meanwhile, else the one there now. */
export async function openFile(path: string, place: Place | undefined): Promise<OpenFile | undefined> {
  const now = fileAt(path)
  if (place && now !== place.file) {
    const moved = await movedAside(path, place)
    if (moved) return openAs(moved)
  }
  return now === undefined ? undefined : openAs(path)
}

async function openAs(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, 'r').catch(absent)
  return handle && { handle, file: fileOf(await handle.stat()) }
}

/** Files that are rotated keep their name and get something behind it. */
async function movedAside(path: string, place: Place): Promise<string | undefined> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((each) => each !== basename(path) && each.startsWith(basename(path)))) {
    if (fileAt(join(folder, name)) === place.file) return join(folder, name)
  }
  return undefined
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return
  throw error
}
