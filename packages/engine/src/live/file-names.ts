import { posix, win32 } from 'node:path'
import { dropOldest } from './families.ts'

/** One name for one file, however agents write it: from the root, relative to their folder, or by a detour. */
export interface FileNames {
  readonly worksIn: (session: string, cwd: string) => void
  readonly nameOf: (session: string, file: string) => string
}

const MOST_SESSIONS = 5_000
/** No path holds it. */
const SEPARATOR = '\0'

export function createFileNames(): FileNames {
  const folders = new Map<string, string>()
  return {
    worksIn: (session, cwd) => {
      folders.delete(session)
      folders.set(session, cwd)
      dropOldest(folders, MOST_SESSIONS)
    },
    nameOf: (session, file) => {
      if (posix.isAbsolute(file)) return posix.normalize(file)
      if (win32.isAbsolute(file)) return win32.normalize(file)
      const cwd = folders.get(session)
      // Relative to nobody knows what: it is the same file only within the session.
      if (cwd === undefined) return `${session}${SEPARATOR}${posix.normalize(file)}`
      return posix.isAbsolute(cwd) ? posix.join(cwd, file) : win32.join(cwd, file)
    },
  }
}

/** The name as it is shown. */
export const shownName = (name: string): string => name.slice(name.lastIndexOf(SEPARATOR) + 1)
