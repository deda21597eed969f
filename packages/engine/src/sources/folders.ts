import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Lists a folder by name. A missing folder has no entries. */
export async function readEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/** Folders nest at most this deep, and a tree has at most this many files. */
const MOST_DEPTH = 8
const MOST_FILES = 20_000

/** Lists the files of a folder and of the folders in it. Links are left out. */
export async function filesBelow(folder: string, depth = MOST_DEPTH): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isFile()) found.push(path)
    else if (entry.isDirectory() && depth > 1) found.push(...(await filesBelow(path, depth - 1)))
    if (found.length > MOST_FILES) throw new Error(`${folder} has more than ${MOST_FILES} files`)
  }
  return found
}

/** Size and time of a file, which change when it is written; undefined where there is none. */
export async function fileMark(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && `${found.size}.${Math.round(found.mtimeMs)}`
}
