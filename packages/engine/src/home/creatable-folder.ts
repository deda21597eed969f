import { mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { NoFolders } from './make-folder.ts'

/**
 * Checks whether a missing folder could be created. It tries in the nearest existing parent and leaves
 * nothing behind.
 */
export async function checkCreatable(folder: string): Promise<Result<void>> {
  let above = dirname(folder)
  try {
    while (!(await isThere(above))) above = dirname(above)
    await rmdir(await mkdtemp(join(above, '.panoptes-')))
    return success(undefined)
  } catch (error) {
    const lost = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return fileFailure(lost ? new NoFolders(above) : error, folder, 'make the folder')
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    const lost = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (lost && dirname(path) !== path) return false
    throw error
  }
}
