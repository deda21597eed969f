import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileFailure, makeFolder } from '@panoptes/engine/home'
import { lockStore } from '@panoptes/engine/store'
import { failure, type Result } from '@panoptes/schema'

const PATIENCE_MS = 10_000
const STEP_MS = 5

/**
 * Runs one change to a folder at a time across processes. The operating system holds the lock and
 * releases it however its holder dies.
 */
export async function alone<T>(folder: string, change: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    await makeFolder(folder)
  } catch (error) {
    return fileFailure(error, folder, 'make the folder')
  }
  const limit = performance.now() + PATIENCE_MS
  let lock = lockStore(join(folder, '.changes'))
  while (!lock.ok && lock.code === 'locked') {
    if (performance.now() > limit)
      return failure('busy', `Another process is changing ${folder}. Try again in a moment.`)
    await wait(STEP_MS * (1 + Math.random()))
    lock = lockStore(join(folder, '.changes'))
  }
  if (!lock.ok) return lock
  try {
    return await change()
  } catch (error) {
    return fileFailure(error, folder, 'change')
  } finally {
    lock.value.release()
  }
}
