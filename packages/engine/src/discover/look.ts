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

interface Counting {
  readonly limit?: number
  /** How many folders deep, the first one included. */
  readonly depth?: number
  /** The beginning of names that are not counted. */
  readonly but?: string
}

/** How many files of some endings lie under a folder, counted up to a limit. */
export async function countFiles(
  folder: string,
  endings: readonly string[],
  { limit = 2_000, depth = Number.POSITIVE_INFINITY, but }: Counting = {},
): Promise<FileCount> {
  const isCounted = (name: string): boolean =>
    endings.some((ending) => name.endsWith(ending)) && !(but !== undefined && name.startsWith(but))
  let files = 0
  let seen = 0
  const open = [{ path: folder, at: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      for await (const entry of await opendir(next.path)) {
        seen += 1
        if (entry.isDirectory()) {
          if (next.at < depth) open.push({ path: join(next.path, entry.name), at: next.at + 1 })
        } else if (isCounted(entry.name)) files += 1
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
