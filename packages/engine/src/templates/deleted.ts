import { failure, type Result, success } from '@panoptes/schema'
import { readFileOf } from './files.ts'
import { oneNamed } from './names.ts'
import { DELETED, type OpenShelf, type Shelf } from './shelf.ts'

const DAY_MS = 86_400_000
/** When it was deleted, and what its file was called. */
const KEPT = /^(\d{1,16})\.(.+\.json)$/s

/** Moves a file where it is kept for a day; what was there for longer goes. */
export async function moveAway(shelf: OpenShelf, name: string, now: number): Promise<void> {
  for (const old of await deleted(shelf)) if (now - old.at > DAY_MS) await shelf.remove(old.name)
  await shelf.rename(name, `${DELETED}${now}.${name}`)
}

/** Moves the one of this name that was deleted last back to where it was. */
export async function moveBack(shelf: OpenShelf, asked: string): Promise<Result<null>> {
  for (const { name, original } of await deleted(shelf)) {
    const read = await readFileOf(shelf, name)
    if (!read.ok || !oneNamed([read.value], asked)) continue
    if (await shelf.isThere(original))
      return failure(
        'invalid',
        `${shelf.shown(original)} is there again: delete that template first, or keep it.`,
      )
    await shelf.rename(name, original)
    return success(null)
  }
  return failure('not_found', `There is no deleted template called ${asked}.`)
}

interface Deleted {
  readonly name: string
  readonly original: string
  readonly at: number
}

/** The newest first. */
export async function deleted(shelf: Shelf): Promise<readonly Deleted[]> {
  const names = await shelf.names(DELETED)
  return (names.ok ? names.value : [])
    .flatMap((name) => {
      const [, at, original] = KEPT.exec(name.slice(DELETED.length)) ?? []
      return at === undefined || original === undefined ? [] : [{ name, original, at: Number(at) }]
    })
    .sort((a, b) => b.at - a.at)
}
