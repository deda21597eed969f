import { posix, win32 } from 'node:path'
import { dropOldest } from './families.ts'

/**
 * Gives a file one name however agents spell it: absolute, relative to their folder, or with `..` segments.
 */
export interface FileNames {
  readonly worksIn: (session: string, cwd: string) => void
  readonly canonicalName: (session: string, file: string) => string
}

const MOST_SESSIONS = 5_000
/** No path can contain a NUL byte, so it separates safely. */
const SEPARATOR = '\0'

export function createFileNames(): FileNames {
  const folders = new Map<string, string>()
  return {
    worksIn: (session, cwd) => {
      folders.delete(session)
      folders.set(session, cwd)
      dropOldest(folders, MOST_SESSIONS)
    },
    canonicalName: (session, file) => {
      if (posix.isAbsolute(file)) return posix.normalize(file)
      if (win32.isAbsolute(file)) return win32.normalize(file)
      const cwd = folders.get(session)
      // Without a known working folder a relative path identifies the file only within its session.
      if (cwd === undefined) return `${session}${SEPARATOR}${posix.normalize(file)}`
      return posix.isAbsolute(cwd) ? posix.join(cwd, file) : win32.join(cwd, file)
    },
  }
}

/** Returns the file name as it is shown to people. */
export const shownName = (name: string): string => name.slice(name.lastIndexOf(SEPARATOR) + 1)
