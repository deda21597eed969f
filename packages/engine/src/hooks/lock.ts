import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileFailure, makeFolder, type Paths } from '@panoptes/engine/home'
import { failure, type Result } from '@panoptes/schema'

const PATIENCE_MS = 10_000
const STEP_MS = 20

/** One change to settings and records at a time, whichever process makes it. */
export async function alone<T>(paths: Paths, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const file = join(paths.hooks, '.lock')
  try {
    await makeFolder(paths.hooks)
    const limit = performance.now() + PATIENCE_MS
    while (!(await taken(file))) {
      if (performance.now() > limit) {
        return failure('busy', `Another panoptes hooks has been at work for long; if none is, remove ${file}`)
      }
      await wait(STEP_MS)
    }
  } catch (error) {
    return fileFailure(error, file, 'write')
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function taken(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(String(process.pid))
    await handle.close()
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (isGone(Number(await readFile(file, 'utf8').catch(() => '')))) await rm(file, { force: true })
    return false
  }
}

/** Whether the holder died before it could let go; a file that has no number yet is being made. */
function isGone(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
