import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents for their owner alone. Node's recursive mkdir never returns below /proc.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const above = dirname(path)
  if (above !== path && !(await isThere(above))) await makeFolder(above, mode)
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (await isFolder(path)) return
    // The parent exists by now, so it does not accept folders.
    if (errorCode(error) === 'ENOENT') throw new NoFolders(above)
    throw error
  }
}

/** An existing place in which no folder can be created. */
export class NoFolders extends Error {
  constructor(place: string) {
    super(`cannot create a folder in ${place}`)
  }
}

const errorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : '')

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    // When the parent cannot be inspected, creating the folder reports the reason.
    (error: unknown) => errorCode(error) !== 'ENOENT',
  )

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
