import { type BigIntStats, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Place } from './place.ts'

export interface OpenFile {
  readonly handle: FileHandle
  /** Its device and inode. */
  readonly file: string
}

const fileOf = ({ dev, ino }: Pick<Stats | BigIntStats, 'dev' | 'ino'>): string => `${dev}:${ino}`

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

async function movedAside(path: string, place: Place): Promise<string | undefined> {
  return (await siblings(path)).find((each) => fileAt(each) === place.file)
}

/** What a number or a date makes of a name when the file is rotated. */
const ROTATED = /^[.-]\d[\d.:T-]*$/

/** The file to go on with after one that was moved aside: the next newer one that was moved aside too, else the one there now. */
export async function fileAfter({ handle, file }: OpenFile, path: string, now: string): Promise<string> {
  const left = await handle.stat({ bigint: true })
  const rotated = (await siblings(path))
    .filter((each) => ROTATED.test(each.slice(path.length)))
    .flatMap((each) => statSync(each, { bigint: true, throwIfNoEntry: false }) ?? [])
    .filter((each) => each.isFile() && fileOf(each) !== file && fileOf(each) !== now && byAge(each, left) > 0)
    .sort(byAge)
  return rotated[0] ? fileOf(rotated[0]) : now
}

/** By the last line each got, and where the clock is too coarse for that by when each was made. */
const byAge = (a: BigIntStats, b: BigIntStats): number =>
  Number(a.mtimeNs - b.mtimeNs) || Number(a.birthtimeNs - b.birthtimeNs)

/** Files that are rotated keep their name and get something behind it. */
async function siblings(path: string): Promise<readonly string[]> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name !== basename(path) && name.startsWith(basename(path)))
    .map((name) => join(folder, name))
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return
  throw error
}
