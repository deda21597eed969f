import { constants } from 'node:fs'
import { lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure, makeFolder, replaceFile } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import { alone } from './lock.ts'
import { type ChangingShelf, DELETED, ENDING, type OpenShelf } from './shelf.ts'

/** A template has some kilobytes; those of other programs may hold whole results. */
const MOST_BYTES = 64 * 1_024 * 1_024

/** The files of a folder. */
export function folderShelf(folder: string): ChangingShelf {
  const fileOf = (name: string): string => join(folder, name)
  const shelf: OpenShelf = {
    where: folder,
    shown: fileOf,
    names: (within) => namesIn(folder, within ?? ''),
    read: (name) => textOf(fileOf(name)),
    isThere: (name) => isThere(fileOf(name)),
    write: (name, text) => replaceFile(fileOf(name), text),
    rename: async (name, to) => {
      if (to.startsWith(DELETED)) await makeFolder(join(folder, DELETED))
      await rename(fileOf(name), fileOf(to))
    },
    remove: (name) => rm(fileOf(name), { force: true }),
  }
  return {
    where: folder,
    look: async () => success(shelf),
    isMade: () => isThere(folder),
    alone: (change) =>
      alone(folder, async () => {
        await dropHalfWritten(folder)
        return change(shelf)
      }),
  }
}

/** All that is in a folder and can be read, deleted ones too, as it is where hubs share them. */
export async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const within of ['', DELETED]) {
    const names = await namesIn(folder, within)
    for (const name of names.ok ? names.value : []) {
      const text = await textOf(join(folder, name))
      // A database keeps no such letter.
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

async function namesIn(folder: string, within: string): Promise<Result<readonly string[]>> {
  try {
    const names = (await readdir(join(folder, within))).filter((name) => name.endsWith(ENDING))
    return success(names.sort().map((name) => within + name))
  } catch (error) {
    const failed = fileFailure(error, folder, 'read')
    return failed.code === 'not_found' ? success([]) : failed
  }
}

async function textOf(file: string): Promise<Result<string>> {
  try {
    // A pipe in the place of a file would keep us waiting for its writer.
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

/** What a process left that was killed while it wrote. Whoever writes holds the lock, so that no living one is at it. */
async function dropHalfWritten(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\..+\.json\.\d+\.[0-9a-f]{8}$/s.test(name)) await rm(join(folder, name), { force: true })
}
