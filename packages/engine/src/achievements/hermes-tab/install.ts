import { hash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileFailure, readRegularSync, replaceFile } from '@panoptes/engine/home'
import { check, type Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { z } from 'zod'
import { PYTHON_FILE, TAB_NAME, type TabFile } from './files.ts'

const OWN_FOLDER = 0o700

export interface TabPlace {
  /** The home of Hermes. */
  readonly hermes: string
  /** The file that records what was written. */
  readonly record: string
}

const tabFolder = ({ hermes }: TabPlace): string => join(hermes, 'plugins', TAB_NAME)

export interface TabPlan {
  readonly folder: string
  /** Origins that were added to the config for it before. */
  readonly added: readonly string[]
  /** Those origins that no tab needs any more, because this one moves and there is no other. */
  readonly outdated: readonly string[]
  readonly files: readonly (TabFile & { readonly change: 'new' | 'changed' | 'same' })[]
}

/**
 * Plans an installation. A file that differs from what Panoptes wrote belongs to somebody else and
 * is rejected.
 */
export function planTab(place: TabPlace, files: readonly TabFile[], origin: string): Result<TabPlan> {
  const folder = tabFolder(place)
  if (!existsSync(place.hermes)) return failure('not_found', `Hermes was not found in ${place.hermes}.`)
  const record = readRecord(place.record)
  const planned: TabPlan['files'][number][] = []
  for (const file of files) {
    const path = join(folder, file.path)
    const link = parentFolders(place, path).find(isNoFolder)
    if (link !== undefined) return failure('io', `${link} is not a regular folder.`)
    const there = textAt(path)
    if (there === undefined) planned.push({ ...file, change: 'new' })
    else if (there !== null && isOurs(record, path, there))
      planned.push({ ...file, change: there === file.text ? 'same' : 'changed' })
    else return failure('io', `${path} was not written by Panoptes, or was modified since.`)
  }
  const added = record?.origins ?? []
  const isOnly = record?.files.every(({ path }) => path.startsWith(folder + sep)) ?? true
  const outdated = isOnly ? added.filter((one) => one !== origin) : []
  return success({ folder, files: planned, added, outdated })
}

/** Writes the record first, so that a partial installation can be removed as well. */
export async function writeTab(
  place: TabPlace,
  plan: TabPlan,
  origins: readonly string[],
): Promise<Result<TabRecord>> {
  const before = readRecord(place.record)
  const paths = plan.files.map(({ path }) => join(plan.folder, path))
  const missing = [...new Set(paths.flatMap((path) => parentFolders(place, path)))].filter(
    (folder) => !existsSync(folder),
  )
  const written = plan.files
    .map(({ path, text }) => ({ path: join(plan.folder, path), sha256: fingerprint(text) }))
    .filter(({ path, sha256 }) => !before?.files.some((file) => file.path === path && file.sha256 === sha256))
  const record: TabRecord = {
    version: 1,
    folder: plan.folder,
    files: [...(before?.files ?? []), ...written],
    folders: [...new Set([...(before?.folders ?? []), ...missing])],
    origins: [...origins],
  }
  try {
    await keep(place, record)
    for (const folder of missing) mkdirSync(folder, { mode: OWN_FOLDER })
    for (const [at, { text, change }] of plan.files.entries())
      if (change !== 'same') await replaceFile(paths[at] ?? '', text)
    return success(record)
  } catch (error) {
    return fileFailure(error, plan.folder, 'write')
  }
}

/** Records the remaining origins after the config lost the others. */
export async function keepOrigins(place: TabPlace, origins: readonly string[]): Promise<Result<null>> {
  const record = readRecord(place.record)
  if (record === undefined) return success(null)
  try {
    await keep(place, { ...record, origins: [...origins] })
    return success(null)
  } catch (error) {
    return fileFailure(error, place.record, 'write')
  }
}

const keep = (place: TabPlace, record: TabRecord): Promise<void> =>
  replaceFile(place.record, `${JSON.stringify(record, null, 2)}\n`)

export interface Removal {
  readonly removed: readonly string[]
  /** Files that somebody changed, so they are left. */
  readonly left: readonly string[]
  /** Origins to remove from the config. */
  readonly origins: readonly string[]
}

/** Plans the removal; undefined if nothing was installed. */
export function planRemoval(place: TabPlace): Removal | undefined {
  const record = readRecord(place.record)
  if (record === undefined) return undefined
  const paths = [...new Set(record.files.map(({ path }) => path))]
  const there = paths.map((path) => ({ path, text: textAt(path) }))
  const isLeft = ({ path, text }: (typeof there)[number]): boolean =>
    text !== undefined && !(text !== null && isOurs(record, path, text))
  return {
    removed: there.filter((one) => one.text !== undefined && !isLeft(one)).map(({ path }) => path),
    left: there.filter(isLeft).map(({ path }) => path),
    origins: record.origins,
  }
}

export function removeTab(place: TabPlace, { removed }: Removal): Result<null> {
  const record = readRecord(place.record)
  try {
    for (const path of removed) rmSync(path)
    if (removed.includes(join(tabFolder(place), PYTHON_FILE))) removeCompiled(tabFolder(place))
    for (const folder of [...(record?.folders ?? [])].reverse()) if (isEmpty(folder)) rmdirSync(folder)
    rmSync(place.record, { force: true })
    return success(null)
  } catch (error) {
    return fileFailure(error, tabFolder(place), 'remove')
  }
}

/** Removes what Python compiled from our file, if the folder contains nothing else. */
function removeCompiled(folder: string): void {
  const compiled = join(folder, '__pycache__')
  if (!existsSync(compiled)) return
  if (readdirSync(compiled).every((name) => /^__init__\.[\w.-]+\.pyc$/.test(name)))
    rmSync(compiled, { recursive: true })
}

const isOurs = (record: TabRecord | undefined, path: string, text: string): boolean =>
  record?.files.some((file) => file.path === path && file.sha256 === fingerprint(text)) ?? false

/** Returns the folders between the home of Hermes and a file, outermost first. */
function parentFolders({ hermes }: TabPlace, path: string): readonly string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder.startsWith(hermes + sep); folder = dirname(folder))
    folders.unshift(folder)
  return folders
}

/** A link would redirect the files elsewhere. Only the folder of all plugins may be one. */
const isNoFolder = (folder: string, at: number): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found !== undefined && !found.isDirectory() && !(at === 0 && found.isSymbolicLink())
}

const isEmpty = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length === 0

/** Records what was written for the tab, so that exactly that can be removed. */
const tabRecord = z
  .object({
    version: z.literal(1),
    folder: z.string(),
    files: z.array(z.object({ path: z.string(), sha256: z.string() })),
    /** Folders that were created, outermost first. */
    folders: z.array(z.string()),
    /** Origins added to the config; older records have only one. */
    origins: z.array(z.string()).optional(),
    origin: z.string().nullish(),
  })
  .transform(({ origin, origins, ...record }) => ({
    ...record,
    origins: origins ?? (typeof origin === 'string' ? [origin] : []),
  }))
type TabRecord = z.infer<typeof tabRecord>

function readRecord(file: string): TabRecord | undefined {
  try {
    const checked = check(tabRecord, JSON.parse(readRegularSync(file)))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

const fingerprint = (text: string): string => hash('sha256', text)

/** Returns the text of a regular file; undefined if missing, null if it is something else. */
function textAt(path: string): string | null | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return found.isFile() ? readFileSync(path, 'utf8') : null
}
