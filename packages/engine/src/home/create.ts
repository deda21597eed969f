import { stat, writeFile } from 'node:fs/promises'
import { type Result, success } from '@panoptes/schema'
import { DEFAULT_CONFIG } from './default-config.ts'
import { fileFailure } from './file-failure.ts'
import { makeFolder } from './make-folder.ts'
import type { Paths } from './paths.ts'

/**
 * Creates the home, readable by this user only, with a commented `config.yaml` in it. Existing files stay as
 * they are.
 */
export async function createHome(paths: Paths): Promise<Result<void>> {
  try {
    await makeFolder(paths.home)
  } catch (error) {
    return fileFailure(error, paths.home, 'make the folder')
  }
  try {
    await writeFile(paths.config, DEFAULT_CONFIG, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      return fileFailure(error, paths.config, 'write')
    }
  }
  return success(undefined)
}

/**
 * Checks whether other users can look into the home. Panoptes does not change the mode of a home that existed
 * before.
 */
export async function isOpenToOthers(paths: Paths): Promise<boolean> {
  const { mode } = await stat(paths.home)
  return (mode & 0o077) !== 0
}
