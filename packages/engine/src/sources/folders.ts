import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'

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

/** Size and time of a file, which change when it is written; undefined where there is none. */
export async function fileMark(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && `${found.size}.${Math.round(found.mtimeMs)}`
}
