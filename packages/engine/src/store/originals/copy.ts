import { lstatSync, renameSync, rmSync } from 'node:fs'
import { copyFile, readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import { stoppedFailure } from '../new-file.ts'

import { OriginalStore, readManifest, storedBytes, writeManifest } from './original-store.ts'

export interface CopiedOriginals {
  readonly path: string
  readonly sessions: number
  readonly bytes: number
}

interface CopyJob {
  readonly from: string
  readonly to: string
  readonly replace: boolean
  readonly stopped: () => boolean
}

/**
 * Copies the originals of all sessions around another copy: the folder appears after that one was made, or not at
 * all. Panoptes may add to the originals meanwhile. Returns no folder if there is nothing to copy.
 */
export async function copyOriginals<T>(
  job: CopyJob,
  make: () => Promise<T>,
): Promise<{ readonly made: T; readonly originals: CopiedOriginals | undefined }> {
  const { from, to, replace } = job
  const store = new OriginalStore(from)
  const listed = await store.list()
  if (!listed.ok) throw new Refused(listed)
  if (listed.value.length === 0) return { made: await make(), originals: undefined }
  const there = lstatSync(to, { throwIfNoEntry: false })
  if (there && !(replace && there.isDirectory()))
    throw new Refused(failure('invalid', `${to} exists already. Choose another name, or move it away first.`))
  const partial = `${to}.${process.pid}.partial`
  try {
    const bytes = await copyAll(job, partial)
    const made = await make()
    const former = `${to}.${process.pid}.former`
    if (there) renameSync(to, former)
    renameSync(partial, to)
    rmSync(former, { recursive: true, force: true })
    return { made, originals: { path: to, sessions: listed.value.length, bytes } }
  } catch (error) {
    if (error instanceof Refused) throw error
    throw new Refused(
      failure(
        'io',
        `${to} could not be written: ${(error as Error).message}. Choose another place for the copy.`,
      ),
    )
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

async function copyAll({ from, to, stopped }: CopyJob, partial: string): Promise<number> {
  let bytes = 0
  makeFolder(partial)
  for (const source of await readdir(from))
    for (const name of await readdir(join(from, source))) {
      if (stopped()) throw stoppedFailure(to)
      bytes += await copySession(join(from, source, name), join(partial, source, name))
    }
  return bytes
}

/** A session may be read again in between, which replaces the files of its manifest, but rarely twice. */
const MOST_ATTEMPTS = 5

async function copySession(from: string, to: string): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const manifest = readManifest(from)
    // It was forgotten meanwhile, or is damaged, so that it is read again.
    if (manifest === undefined) return 0
    makeFolder(to)
    try {
      let bytes = 0
      for (const { data, frames } of manifest.files) {
        await copyFile(join(from, data), join(to, data))
        // Without what was added since, and without a half-written frame.
        await truncate(join(to, data), storedBytes({ frames }))
        bytes += storedBytes({ frames })
      }
      await writeManifest(to, manifest)
      return bytes
    } catch (error) {
      rmSync(to, { recursive: true, force: true })
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error
    }
  }
}
