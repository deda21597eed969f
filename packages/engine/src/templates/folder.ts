import { basename } from 'node:path'
import type { BrokenTemplate, Result, SessionTemplate, TemplatePlace } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import {
  type FoundTemplates,
  type ParsedTemplate,
  readTemplate,
  type StoredTemplate,
  sessionIn,
  templateText,
} from './file.ts'
import { checkTemplateName, findByName, nameKey } from './names.ts'
import { type ChangingShelf, DELETED, ENDING, type OpenShelf, type Shelf } from './storage.ts'

export interface FolderOptions {
  readonly ours: ChangingShelf
  /** The templates of Hermes, which are read-only. */
  readonly ofHermes: Pick<ChangingShelf, 'where' | 'look'>
  readonly now?: () => number
}

/** A session whose templates are removed. Files name no source, so only the id counts. */
interface ForgottenSession {
  readonly source?: string | undefined
  readonly id: string
}

/** Templates in a storage. Changes run one at a time across processes. No method throws. */
export interface TemplateFolder {
  /** Our templates, then those of Hermes, by file name. */
  readonly all: () => Promise<Result<FoundTemplates>>
  /** Stores a template and resolves with its file name. */
  readonly put: (template: SessionTemplate, options: { readonly force: boolean }) => Promise<Result<string>>
  readonly remove: (name: string) => Promise<Result<null>>
  readonly restore: (name: string) => Promise<Result<null>>
  /** Counts one use of our template. */
  readonly countUse: (name: string) => Promise<Result<null>>
  /**
   * Removes templates made from these sessions for good, including deleted ones, and returns how
   * many.
   */
  readonly forget: (sessions: readonly ForgottenSession[]) => Promise<Result<number>>
}

const DAY_MS = 86_400_000
/** The deletion time and the former file name. */
const DELETED_NAME = /^(\d{1,16})\.(.+\.json)$/s

export function openTemplateFolder({ ours, ofHermes, now = Date.now }: FolderOptions): TemplateFolder {
  const readOwn = (shelf: Shelf) => readTemplates(shelf, 'panoptes')
  const readHermes = async (): Promise<Result<FoundTemplates>> => {
    const shelf = await ofHermes.look()
    return shelf.ok ? readTemplates(shelf.value, 'hermes') : shelf
  }
  const changeStored = <T>(
    name: string,
    change: (shelf: OpenShelf, file: string) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    ours.alone(async (shelf) => {
      const found = await readOwn(shelf)
      if (!found.ok) return found
      const stored = findByName(found.value.stored, name)
      return stored
        ? change(shelf, basename(stored.file))
        : failure('not_found', `Template not found: ${name}`)
    })
  const forget = async (ids: ReadonlySet<string>): Promise<Result<number>> => {
    if (ids.size === 0 || !(await ours.isMade())) return success(0)
    return ours.alone(async (shelf) => {
      const names = await shelf.names()
      if (!names.ok) return names
      const deletedFiles = await listDeleted(shelf)
      const gone: string[] = []
      for (const name of [...names.value, ...deletedFiles.map(({ name }) => name)]) {
        const id = await readSourceSession(shelf, name)
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
      const [found, hermes] = await Promise.all([readOwn(shelf.value), readHermes()])
      if (!found.ok) return found
      // A problem in the folder of Hermes must not hide our templates.
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
      const name = checkTemplateName(template.name)
      if (!name.ok) return name
      return ours.alone(async (shelf) => {
        const found = await readOwn(shelf)
        if (!found.ok) return found
        const same = findByName(found.value.stored, name.value)
        const hermes = await readHermes()
        const others = [...found.value.stored, ...(hermes.ok ? hermes.value.stored : [])]
        const target = same ? resolveReplacement(same, force) : await findFreeFile(shelf, others, name.value)
        if (!target.ok) return target
        // An overwritten template can be restored for a day.
        if (same) await moveAway(shelf, target.value, now())
        await shelf.write(target.value, templateText({ ...template, name: name.value }))
        return success(shelf.shown(target.value))
      })
    },
    remove: (name) =>
      changeStored(name, async (shelf, file) => {
        await moveAway(shelf, file, now())
        return success(null)
      }),
    restore: (name) =>
      ours.alone(async (shelf) => {
        const found = await readOwn(shelf)
        if (!found.ok) return found
        if (findByName(found.value.stored, name))
          return failure('invalid', `A template named ${name} exists again. Delete it first, or keep it.`)
        return moveBack(shelf, name)
      }),
    countUse: (name) =>
      changeStored(name, async (shelf, file) => {
        const read = await readTemplateFile(shelf, file)
        if (!read.ok) return read
        const { raw, template } = read.value
        await shelf.write(file, templateText({ ...raw, usage_count: template.usage_count + 1 }))
        return success(null)
      }),
    forget: (sessions) => forget(new Set(sessions.map(({ id }) => id))),
  }
}

const resolveReplacement = ({ file, template: { name } }: StoredTemplate, force: boolean): Result<string> =>
  force
    ? success(basename(file))
    : failure(
        'invalid',
        `A template named ${name} already exists. Choose another name, or overwrite it (--force).`,
      )

/** Returns the file for a new name, so that it neither overwrites nor hides another template. */
async function findFreeFile(
  shelf: OpenShelf,
  others: readonly StoredTemplate[],
  name: string,
): Promise<Result<string>> {
  const alike = others.find(({ template }) => nameKey(template.name) === nameKey(name))
  if (alike)
    return failure(
      'invalid',
      alike.place === 'hermes'
        ? `Hermes has a template named ${alike.template.name}: ${alike.file}. Choose another name.`
        : `A template named ${alike.template.name} already exists, and some systems treat the names as equal. Choose another name.`,
    )
  const file = name + ENDING
  const shown = shelf.shown(file)
  const there = others.find((stored) => stored.file === shown)
  if (there)
    return failure(
      'invalid',
      `${shown} contains a template named ${there.template.name}. Choose another name.`,
    )
  return (await shelf.isThere(file))
    ? failure(
        'invalid',
        `${shown} exists but is not a template with this name. Move it, or choose another name.`,
      )
    : success(file)
}

/** Moves a file to the deleted ones for a day, and removes those that are older. */
async function moveAway(shelf: OpenShelf, name: string, now: number): Promise<void> {
  for (const old of await listDeleted(shelf)) if (now - old.at > DAY_MS) await shelf.remove(old.name)
  await shelf.rename(name, `${DELETED}${now}.${name}`)
}

/** Restores the most recently deleted template of this name. */
async function moveBack(shelf: OpenShelf, templateName: string): Promise<Result<null>> {
  for (const { name, original } of await listDeleted(shelf)) {
    const read = await readTemplateFile(shelf, name)
    if (!read.ok || !findByName([read.value], templateName)) continue
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
async function listDeleted(shelf: Shelf): Promise<readonly Deleted[]> {
  const names = await shelf.names(DELETED)
  return (names.ok ? names.value : [])
    .flatMap((name) => {
      const [, at, original] = DELETED_NAME.exec(name.slice(DELETED.length)) ?? []
      return at === undefined || original === undefined ? [] : [{ name, original, at: Number(at) }]
    })
    .sort((a, b) => b.at - a.at)
}

/** Reads the templates of a storage by file name. */
async function readTemplates(shelf: Shelf, place: TemplatePlace): Promise<Result<FoundTemplates>> {
  const names = await shelf.names()
  if (!names.ok) return names
  const stored: StoredTemplate[] = []
  const broken: BrokenTemplate[] = []
  const fileByName = new Map<string, string>()
  for (const name of names.value) {
    const file = shelf.shown(name)
    const read = await readTemplateFile(shelf, name)
    if (!read.ok) {
      broken.push({ file, reason: read.message })
      continue
    }
    const { template } = read.value
    const earlier = fileByName.get(template.name)
    if (earlier === undefined) stored.push({ template, place, file })
    else broken.push({ file, reason: `It has the same name as ${earlier}` })
    fileByName.set(template.name, earlier ?? file)
  }
  return success({ stored, broken })
}

async function readTemplateFile(shelf: Shelf, name: string): Promise<Result<ParsedTemplate>> {
  const text = await shelf.read(name)
  return text.ok ? readTemplate(text.value) : text
}

/** Returns the session that a file names as its origin, even if it is not a valid template. */
async function readSourceSession(shelf: Shelf, name: string): Promise<string | undefined> {
  const text = await shelf.read(name)
  return text.ok ? sessionIn(text.value) : undefined
}
