import { existsSync } from 'node:fs'
import { link, open, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Failure, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import type { OriginalFile, Originals } from './manifest.ts'
import { fileBytes, hashBytes, type OriginalStore, readAt } from './original-store.ts'

/** What restoring a file would do: write it, or nothing because it is there, the same or another one. */
export interface PlannedFile {
  readonly path: string
  readonly bytes: number
  readonly state: 'missing' | 'same' | 'different'
}

/** Compares the originals of a session with the files that are below a folder now. */
export async function planRestore(
  { files }: Originals,
  root: string,
): Promise<Result<readonly PlannedFile[]>> {
  const planned: PlannedFile[] = []
  for (const file of files) {
    const path = join(root, file.path)
    try {
      planned.push({ path, bytes: fileBytes(file), state: await compare(path, file) })
    } catch (error) {
      return failure('io', `${path} could not be read: ${(error as Error).message}. Check its permissions.`)
    }
  }
  return success(planned)
}

async function compare(path: string, { frames }: OriginalFile): Promise<PlannedFile['state']> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (handle === undefined) return 'missing'
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.size !== fileBytes({ frames })) return 'different'
    let at = 0
    for (const [bytes, , expected] of frames) {
      if (hashBytes(await readAt(handle, at, bytes)) !== expected) return 'different'
      at += bytes
    }
    return 'same'
  } finally {
    await handle.close()
  }
}

/**
 * Writes the missing files of a session below a folder and returns how many. It never overwrites a file. The
 * transcript comes last, because the agent offers a session as soon as it has one.
 */
export async function restoreOriginals(
  store: OriginalStore,
  originals: Originals,
  root: string,
): Promise<Result<number>> {
  const plan = await planRestore(originals, root)
  if (!plan.ok) return plan
  const different = plan.value.find(({ state }) => state === 'different')
  if (different !== undefined)
    return failure('invalid', `${different.path} exists and differs. Nothing was written.`)
  const missing = originals.files.filter((_, n) => plan.value[n]?.state === 'missing').reverse()
  for (const file of missing) {
    const problem = await writeOriginal(store, originals, file, join(root, file.path))
    if (problem !== undefined) return problem
  }
  return success(missing.length)
}

/** The file appears as a whole. What a killed call left under the temporary name is overwritten by the next. */
async function writeOriginal(
  store: OriginalStore,
  originals: Originals,
  file: OriginalFile,
  target: string,
): Promise<Failure | undefined> {
  const temporary = `${target}.panoptes-restore`
  try {
    makeFolder(dirname(target))
    await rm(temporary, { force: true })
    const handle = await open(temporary, 'wx', 0o600)
    try {
      for await (const bytes of store.read(originals, file)) await handle.writeFile(bytes)
      await handle.chmod(file.mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await appear(temporary, target)
    return undefined
  } catch (error) {
    return failure('io', `${target} could not be restored: ${(error as Error).message}.`)
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

/** Unlike a rename, a link fails if somebody created the file meanwhile. Not every file system has links. */
async function appear(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
    if (existsSync(target)) throw new Error('it was created meanwhile')
    await rename(temporary, target)
  }
}
