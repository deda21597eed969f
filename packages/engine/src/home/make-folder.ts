import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes a folder and those above it, for its owner alone. The recursive mkdir of Node never returns below /proc. */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const above = dirname(path)
  if (above !== path && !(await isThere(above))) await makeFolder(above, mode)
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (await isFolder(path)) return
    // What is above is there: whatever keeps it, it does not take folders.
    if (codeOf(error) === 'ENOENT') throw new NoFolders(above)
    throw error
  }
}

/** A place that is there, and in which no folder can be made. */
export class NoFolders extends Error {
  constructor(place: string) {
    super(`no folder can be made in ${place}`)
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : '')

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    // Where it may not be looked, making the folder says why.
    (error: unknown) => codeOf(error) !== 'ENOENT',
  )

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
