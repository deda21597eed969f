import { failure, type Result, success } from '@panoptes/schema'
import { readTemplateFile } from './files.ts'
import { oneNamed } from './names.ts'
import { DELETED, type OpenShelf, type Shelf } from './storage.ts'

const DAY_MS = 86_400_000
/** The deletion time and the former file name. */
const DELETED_NAME = /^(\d{1,16})\.(.+\.json)$/s

/** Moves a file to the deleted ones for a day, and removes those that are older. */
export async function moveAway(shelf: OpenShelf, name: string, now: number): Promise<void> {
  for (const old of await deleted(shelf)) if (now - old.at > DAY_MS) await shelf.remove(old.name)
  await shelf.rename(name, `${DELETED}${now}.${name}`)
}

/** Restores the most recently deleted template of this name. */
export async function moveBack(shelf: OpenShelf, templateName: string): Promise<Result<null>> {
  for (const { name, original } of await deleted(shelf)) {
    const read = await readTemplateFile(shelf, name)
    if (!read.ok || !oneNamed([read.value], templateName)) continue
    if (await shelf.isThere(original))
      return failure(
        'invalid',
        `${shelf.shown(original)} exists again. Delete that template first, or keep it.`,
      )
    await shelf.rename(name, original)
    return success(null)
  }
  return failure('not_found', `No deleted template is named ${templateName}.`)
}

interface Deleted {
  readonly name: string
  readonly original: string
  readonly at: number
}

/** Lists the deleted templates, newest first. */
export async function deleted(shelf: Shelf): Promise<readonly Deleted[]> {
  const names = await shelf.names(DELETED)
  return (names.ok ? names.value : [])
    .flatMap((name) => {
      const [, at, original] = DELETED_NAME.exec(name.slice(DELETED.length)) ?? []
      return at === undefined || original === undefined ? [] : [{ name, original, at: Number(at) }]
    })
    .sort((a, b) => b.at - a.at)
}
