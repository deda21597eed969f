import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@panoptes/engine/home'
import type { Result, SessionTemplate } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { deleted, isThere, moveAway, moveBack } from './deleted.ts'
import { templateText } from './file.ts'
import { ENDING, madeFrom, namesIn, readFileOf, templatesIn } from './files.ts'
import { alone } from './lock.ts'
import { nameKey, oneNamed, safeName } from './names.ts'
import type { Found, Stored } from './stored.ts'

export interface FolderOptions {
  readonly folder: string
  /** Where those of Hermes are, which are only read. */
  readonly hermesFolder: string
  readonly now?: () => number
}

/** A session whose templates go. Files name no source, so that it is the id that tells. */
interface Forgotten {
  readonly source?: string | undefined
  readonly id: string
}

/** Templates as files. Changes wait for each other, in whichever process they are made. No method throws. */
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
  /** The same, where one can only ask of an id whether it is forgotten. */
  readonly forgetWhere: (isForgotten: (id: string) => boolean) => Promise<Result<number>>
}

export function openTemplateFolder({ folder, hermesFolder, now = Date.now }: FolderOptions): TemplateFolder {
  const ours = () => templatesIn(folder, 'panoptes')
  const changing = <T>(name: string, change: (stored: Stored) => Promise<Result<T>>): Promise<Result<T>> =>
    alone(folder, async () => {
      const found = await ours()
      if (!found.ok) return found
      const stored = oneNamed(found.value.stored, name)
      return stored ? change(stored) : failure('not_found', `Template not found: ${name}`)
    })
  const forgetWhere = async (isForgotten: (id: string) => boolean): Promise<Result<number>> => {
    if (!(await isThere(folder))) return success(0)
    return alone(folder, async () => {
      const names = await namesIn(folder)
      if (!names.ok) return names
      const kept = await deleted(folder)
      const gone: string[] = []
      for (const file of [
        ...names.value.map((name) => join(folder, name)),
        ...kept.map(({ file }) => file),
      ]) {
        const id = await madeFrom(file)
        if (id !== undefined && isForgotten(id)) gone.push(file)
      }
      for (const file of gone) await rm(file, { force: true })
      await dropHalfWritten(folder)
      return success(gone.length)
    })
  }

  return {
    all: async () => {
      const [own, hermes] = await Promise.all([ours(), templatesIn(hermesFolder, 'hermes')])
      if (!own.ok) return own
      // What another program keeps there does not hide what is ours.
      if (!hermes.ok)
        return success({
          ...own.value,
          broken: [...own.value.broken, { file: hermesFolder, reason: hermes.message }],
        })
      return success({
        stored: [...own.value.stored, ...hermes.value.stored],
        broken: [...own.value.broken, ...hermes.value.broken],
      })
    },
    put: async (template, { force }) => {
      const name = safeName(template.name)
      if (!name.ok) return name
      return alone(folder, async () => {
        const found = await ours()
        if (!found.ok) return found
        const same = oneNamed(found.value.stored, name.value)
        const theirs = await templatesIn(hermesFolder, 'hermes')
        const others = [...found.value.stored, ...(theirs.ok ? theirs.value.stored : [])]
        const file = join(folder, name.value + ENDING)
        const target = same ? replaced(same, force) : await freeFor(others, file, name.value)
        if (!target.ok) return target
        // Whoever wrote over the wrong one finds it there for a day.
        if (same) await moveAway(folder, same.file, now())
        await replaceFile(target.value, templateText({ ...template, name: name.value }))
        return target
      })
    },
    remove: (name) =>
      changing(name, async ({ file }) => {
        await moveAway(folder, file, now())
        return success(null)
      }),
    restore: (name) =>
      alone(folder, async () => {
        const found = await ours()
        if (!found.ok) return found
        if (oneNamed(found.value.stored, name))
          return failure('invalid', `There is a template called ${name} again: delete it first, or keep it.`)
        return moveBack(folder, name)
      }),
    used: (name) =>
      changing(name, async ({ file }) => {
        const read = await readFileOf(file)
        if (!read.ok) return read
        const { raw, template } = read.value
        await replaceFile(file, templateText({ ...raw, usage_count: template.usage_count + 1 }))
        return success(null)
      }),
    forget: async (sessions) => {
      const ids = new Set(sessions.map(({ id }) => id))
      return ids.size === 0 ? success(0) : forgetWhere((id) => ids.has(id))
    },
    forgetWhere,
  }
}

const replaced = ({ file, template: { name } }: Stored, force: boolean): Result<string> =>
  force
    ? success(file)
    : failure(
        'invalid',
        `There is a template called ${name} already. Choose another name, or write over it (--force).`,
      )

/** Where a template of a new name is written: nothing that is there is lost, and no other is hidden by it. */
async function freeFor(others: readonly Stored[], file: string, name: string): Promise<Result<string>> {
  const alike = others.find(({ template }) => nameKey(template.name) === nameKey(name))
  if (alike)
    return failure(
      'invalid',
      alike.place === 'hermes'
        ? `Hermes has a template called ${alike.template.name}: ${alike.file}. Choose another name.`
        : `There is a template called ${alike.template.name} already, which is the same name on some systems. Choose another name.`,
    )
  const there = others.find((stored) => stored.file === file)
  if (there)
    return failure('invalid', `${file} holds a template called ${there.template.name}. Choose another name.`)
  return (await isThere(file))
    ? failure('invalid', `${file} is there and is no template of this name. Move it, or choose another name.`)
    : success(file)
}

/** What a process left that was killed while it wrote. Whoever writes holds the lock, so that no living one is at it. */
async function dropHalfWritten(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\..+\.json\.\d+\.[0-9a-f]{8}$/s.test(name)) await rm(join(folder, name), { force: true })
}
