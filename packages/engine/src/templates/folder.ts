import { basename } from 'node:path'
import type { Result, SessionTemplate } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { deleted, moveAway, moveBack } from './deleted.ts'
import { templateText } from './file.ts'
import { madeFrom, readFileOf, templatesIn } from './files.ts'
import { nameKey, oneNamed, safeName } from './names.ts'
import { type ChangingShelf, ENDING, type OpenShelf, type Shelf } from './shelf.ts'
import type { Found, Stored } from './stored.ts'

export interface FolderOptions {
  readonly ours: ChangingShelf
  /** Those of Hermes, which are only read. */
  readonly ofHermes: Pick<ChangingShelf, 'where' | 'look'>
  readonly now?: () => number
}

/** A session whose templates go. Files name no source, so that it is the id that tells. */
interface Forgotten {
  readonly source?: string | undefined
  readonly id: string
}

/** Templates on a shelf. Changes wait for each other, in whichever process they are made. No method throws. */
export interface TemplateFolder {
  /** Ours, then those of Hermes, by the names of their files. */
  readonly all: () => Promise<Result<Found>>
  /** Answers with the file. */
  readonly put: (template: SessionTemplate, options: { readonly force: boolean }) => Promise<Result<string>>
  readonly remove: (name: string) => Promise<Result<null>>
  readonly restore: (name: string) => Promise<Result<null>>
  /** Counts one use of ours. */
  readonly used: (name: string) => Promise<Result<null>>
  /** Templates that were made from these go for good, deleted ones too; answers how many. */
  readonly forget: (sessions: readonly Forgotten[]) => Promise<Result<number>>
}

export function openTemplateFolder({ ours, ofHermes, now = Date.now }: FolderOptions): TemplateFolder {
  const own = (shelf: Shelf) => templatesIn(shelf, 'panoptes')
  const theirs = async (): Promise<Result<Found>> => {
    const shelf = await ofHermes.look()
    return shelf.ok ? templatesIn(shelf.value, 'hermes') : shelf
  }
  const changing = <T>(
    name: string,
    change: (shelf: OpenShelf, file: string) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    ours.alone(async (shelf) => {
      const found = await own(shelf)
      if (!found.ok) return found
      const stored = oneNamed(found.value.stored, name)
      return stored
        ? change(shelf, basename(stored.file))
        : failure('not_found', `Template not found: ${name}`)
    })
  const forget = async (ids: ReadonlySet<string>): Promise<Result<number>> => {
    if (ids.size === 0 || !(await ours.isMade())) return success(0)
    return ours.alone(async (shelf) => {
      const names = await shelf.names()
      if (!names.ok) return names
      const kept = await deleted(shelf)
      const gone: string[] = []
      for (const name of [...names.value, ...kept.map(({ name }) => name)]) {
        const id = await madeFrom(shelf, name)
        if (id !== undefined && ids.has(id)) gone.push(name)
      }
      for (const name of gone) await shelf.remove(name)
      return success(gone.length)
    })
  }

  return {
    all: async () => {
      const shelf = await ours.look()
      if (!shelf.ok) return shelf
      const [found, hermes] = await Promise.all([own(shelf.value), theirs()])
      if (!found.ok) return found
      // What another program keeps there does not hide what is ours.
      if (!hermes.ok)
        return success({
          ...found.value,
          broken: [...found.value.broken, { file: ofHermes.where, reason: hermes.message }],
        })
      return success({
        stored: [...found.value.stored, ...hermes.value.stored],
        broken: [...found.value.broken, ...hermes.value.broken],
      })
    },
    put: async (template, { force }) => {
      const name = safeName(template.name)
      if (!name.ok) return name
      return ours.alone(async (shelf) => {
        const found = await own(shelf)
        if (!found.ok) return found
        const same = oneNamed(found.value.stored, name.value)
        const hermes = await theirs()
        const others = [...found.value.stored, ...(hermes.ok ? hermes.value.stored : [])]
        const target = same ? replaced(same, force) : await freeFor(shelf, others, name.value)
        if (!target.ok) return target
        // Whoever wrote over the wrong one finds it there for a day.
        if (same) await moveAway(shelf, target.value, now())
        await shelf.write(target.value, templateText({ ...template, name: name.value }))
        return success(shelf.shown(target.value))
      })
    },
    remove: (name) =>
      changing(name, async (shelf, file) => {
        await moveAway(shelf, file, now())
        return success(null)
      }),
    restore: (name) =>
      ours.alone(async (shelf) => {
        const found = await own(shelf)
        if (!found.ok) return found
        if (oneNamed(found.value.stored, name))
          return failure('invalid', `There is a template called ${name} again: delete it first, or keep it.`)
        return moveBack(shelf, name)
      }),
    used: (name) =>
      changing(name, async (shelf, file) => {
        const read = await readFileOf(shelf, file)
        if (!read.ok) return read
        const { raw, template } = read.value
        await shelf.write(file, templateText({ ...raw, usage_count: template.usage_count + 1 }))
        return success(null)
      }),
    forget: (sessions) => forget(new Set(sessions.map(({ id }) => id))),
  }
}

const replaced = ({ file, template: { name } }: Stored, force: boolean): Result<string> =>
  force
    ? success(basename(file))
    : failure(
        'invalid',
        `There is a template called ${name} already. Choose another name, or write over it (--force).`,
      )

/** Where a template of a new name is written: nothing that is there is lost, and no other is hidden by it. */
async function freeFor(shelf: OpenShelf, others: readonly Stored[], name: string): Promise<Result<string>> {
  const alike = others.find(({ template }) => nameKey(template.name) === nameKey(name))
  if (alike)
    return failure(
      'invalid',
      alike.place === 'hermes'
        ? `Hermes has a template called ${alike.template.name}: ${alike.file}. Choose another name.`
        : `There is a template called ${alike.template.name} already, which is the same name on some systems. Choose another name.`,
    )
  const file = name + ENDING
  const shown = shelf.shown(file)
  const there = others.find((stored) => stored.file === shown)
  if (there)
    return failure('invalid', `${shown} holds a template called ${there.template.name}. Choose another name.`)
  return (await shelf.isThere(file))
    ? failure(
        'invalid',
        `${shown} is there and is no template of this name. Move it, or choose another name.`,
      )
    : success(file)
}
