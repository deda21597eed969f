import { constants } from 'node:fs'
import { lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileFailure, makeFolder, replaceFile } from '@panoptes/engine/home'
import { lockStore } from '@panoptes/engine/store'
import { failure, type Result, success } from '@panoptes/schema'
import { type ChangingShelf, DELETED, ENDING, type OpenShelf } from './storage.ts'

/** A template takes some kilobytes; those of other programs may contain whole results. */
const MOST_BYTES = 64 * 1_024 * 1_024

const LOCK_TIMEOUT_MS = 10_000
const STEP_MS = 5

/** Storage in the files of a folder. */
export function folderShelf(folder: string): ChangingShelf {
  const filePath = (name: string): string => join(folder, name)
  const shelf: OpenShelf = {
    where: folder,
    shown: filePath,
    names: (within) => listNames(folder, within ?? ''),
    read: (name) => readText(filePath(name)),
    isThere: (name) => isThere(filePath(name)),
    write: (name, text) => replaceFile(filePath(name), text),
    rename: async (name, to) => {
      if (to.startsWith(DELETED)) await makeFolder(join(folder, DELETED))
      await rename(filePath(name), filePath(to))
    },
    remove: (name) => rm(filePath(name), { force: true }),
  }
  return {
    where: folder,
    look: async () => success(shelf),
    isMade: () => isThere(folder),
    alone: (change) =>
      changeExclusively(folder, async () => {
        await dropHalfWritten(folder)
        return change(shelf)
      }),
  }
}

/** Returns every readable file of a folder, including deleted ones, in the form that hubs share. */
export async function readTexts(folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const within of ['', DELETED]) {
    const names = await listNames(folder, within)
    for (const name of names.ok ? names.value : []) {
      const text = await readText(join(folder, name))
      // PostgreSQL cannot store NUL characters.
      if (text.ok && !text.value.includes('\0')) texts.set(name, text.value)
    }
  }
  return texts
}

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )

async function listNames(folder: string, within: string): Promise<Result<readonly string[]>> {
  try {
    const names = (await readdir(join(folder, within))).filter((name) => name.endsWith(ENDING))
    return success(names.sort().map((name) => within + name))
  } catch (error) {
    const failed = fileFailure(error, folder, 'read')
    return failed.code === 'not_found' ? success([]) : failed
  }
}

async function readText(file: string): Promise<Result<string>> {
  try {
    // Opening a pipe would otherwise block until somebody writes to it.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await handle.stat()
      if (!found.isFile()) return failure('corrupt', 'It is not a file')
      if (found.size > MOST_BYTES) return failure('corrupt', 'It is larger than 64 MB')
      return success(await handle.readFile('utf8'))
    } finally {
      await handle.close()
    }
  } catch (error) {
    return fileFailure(error, file, 'read')
  }
}

/**
 * Removes temporary files of a process that was killed while writing. The writer holds the lock, so
 * no living process uses them.
 */
async function dropHalfWritten(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\..+\.json\.\d+\.[0-9a-f]{8}$/s.test(name)) await rm(join(folder, name), { force: true })
}

/**
 * Runs one change to a folder at a time across processes. The operating system holds the lock and
 * releases it however its holder dies.
 */
async function changeExclusively<T>(folder: string, change: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    await makeFolder(folder)
  } catch (error) {
    return fileFailure(error, folder, 'make the folder')
  }
  const limit = performance.now() + LOCK_TIMEOUT_MS
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
