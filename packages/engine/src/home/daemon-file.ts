import { rm } from 'node:fs/promises'
import { check, type DaemonInfo, daemonInfo, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import type { Paths } from './paths.ts'
import { readRegular } from './read-regular.ts'
import { replaceFile } from './write-file.ts'

/** Reads `daemon.json`. Returns undefined where it is absent or malformed. */
export async function readDaemonFile(paths: Paths): Promise<DaemonInfo | undefined> {
  try {
    const checked = check(daemonInfo, JSON.parse(await readRegular(paths.daemon)))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

export async function writeDaemonFile(paths: Paths, info: DaemonInfo): Promise<Result<void>> {
  try {
    await replaceFile(paths.daemon, `${JSON.stringify(info, null, 2)}\n`)
    return success(undefined)
  } catch (error) {
    return fileFailure(error, paths.daemon, 'write')
  }
}

/** Removes the file if it still describes this process. A newer daemon's file stays. */
export async function removeDaemonFile(paths: Paths, pid: number): Promise<void> {
  if ((await readDaemonFile(paths))?.pid === pid) await rm(paths.daemon, { force: true })
}
