import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import { readFileOf } from './files.ts'
import { oneNamed } from './names.ts'

const DAY_MS = 86_400_000
/** When it was deleted, and what its file was called. */
const DELETED = /^(\d{1,16})\.(.+\.json)$/s

const deletedIn = (folder: string): string => join(folder, '.deleted')

/** Moves a file where it is kept for a day; what was there for longer goes. */
export async function moveAway(folder: string, file: string, now: number): Promise<void> {
  const kept = deletedIn(folder)
  await makeFolder(kept)
  for (const old of await deleted(folder)) if (now - old.at > DAY_MS) await rm(old.file, { force: true })
  await rename(file, join(kept, `${now}.${basename(file)}`))
}

/** Moves the one of this name that was deleted last back to where it was. */
export async function moveBack(folder: string, name: string): Promise<Result<null>> {
  for (const { file, original } of await deleted(folder)) {
    const read = await readFileOf(file)
    if (!read.ok || !oneNamed([read.value], name)) continue
    const target = join(folder, original)
    if (await isThere(target))
      return failure('invalid', `${target} is there again: delete that template first, or keep it.`)
    await rename(file, target)
    return success(null)
  }
  return failure('not_found', `There is no deleted template called ${name}.`)
}

interface Deleted {
  readonly file: string
  readonly original: string
  readonly at: number
}

/** The newest first. */
export async function deleted(folder: string): Promise<readonly Deleted[]> {
  const kept = deletedIn(folder)
  const names = await readdir(kept).catch(() => [])
  return names
    .flatMap((name) => {
      const [, at, original] = DELETED.exec(name) ?? []
      return at === undefined || original === undefined
        ? []
        : [{ file: join(kept, name), original, at: Number(at) }]
    })
    .sort((a, b) => b.at - a.at)
}

export const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )
