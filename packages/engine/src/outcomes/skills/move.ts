import { randomBytes } from 'node:crypto'
import { cp, lstat, rename as renameFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Moves a folder to a free path, also to another device. At any moment one of the two places has
 * all of it.
 */
export async function moveFolder(from: string, to: string, rename = renameFile): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    await moveOver(from, to)
  }
}

async function moveOver(from: string, to: string): Promise<void> {
  const part = hidden(to)
  try {
    await cp(from, part, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      errorOnExist: true,
      force: false,
    })
    await renameFile(part, to)
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  }
  const old = hidden(from)
  await renameFile(from, old)
  await rm(old, { recursive: true, force: true })
}

const hidden = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}`)

const MOST_TRIED = 10_000

/** Returns a name that is free in a folder. */
export async function freePlace(folder: string, name: string): Promise<string | null> {
  for (let n = 1; n <= MOST_TRIED; n += 1) {
    const place = join(folder, n === 1 ? name : `${name}-${n}`)
    if (!(await isThere(place))) return place
  }
  return null
}

/** A broken link exists, too. */
export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  )
