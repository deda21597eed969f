import { constants } from 'node:fs'
import { access, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type Presence = 'found' | 'absent' | 'unreadable'

/** Whether a file or folder is there and this user may read it. */
export async function presence(path: string): Promise<Presence> {
  try {
    const found = await stat(path)
    await access(path, found.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK)
    return 'found'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unreadable'
  }
}

export interface FileCount {
  readonly files: number
  /** There are more than were counted. */
  readonly more: boolean
}

/** How many files of some endings lie under a folder, counted up to a limit. */
export async function countFiles(
  folder: string,
  endings: readonly string[],
  limit = 2_000,
): Promise<FileCount> {
  let files = 0
  let seen = 0
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        seen += 1
        if (entry.isDirectory()) open.push(join(next, entry.name))
        else if (endings.some((ending) => entry.name.endsWith(ending))) files += 1
        if (files >= limit || seen >= limit * 10) return { files, more: true }
      }
    } catch {
      // What cannot be read is not counted; the sources say so when they read it.
    }
  }
  return { files, more: false }
}

export const many = ({ files, more }: FileCount, what: string): string => {
  const number = files.toLocaleString('en-US')
  if (more) return `more than ${number} ${what}s`
  return files === 1 ? `1 ${what}` : `${files === 0 ? 'no' : number} ${what}s`
}
