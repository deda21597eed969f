import type { Dirent } from 'node:fs'
import { lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { hermesHome } from '@panoptes/engine/sources'
import { isName } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { editStability, readFrontMatter } from './front-matter.ts'

/** A folder with a SKILL.md. */
export interface FoundSkill {
  readonly name: string
  /** All names under which uses of the skill may be recorded. */
  readonly names: readonly string[]
  /** When to use the skill, from its own front matter. */
  readonly description: string | null
  readonly tags: readonly string[]
  readonly of: SkillRoot['of']
  readonly folder: string
  readonly file: string
  /** The folder that archiving moves it to. */
  readonly archive: string
  readonly changedAt: number
  readonly isMarked: boolean
  /** Why it cannot be marked although it may be moved. */
  readonly unmarkable: string | null
  /** Why it stays untouched whatever the verdict: it does not belong to the user or cannot be read. */
  readonly kept: string | null
}

const ARCHIVE = '_archive'
export const MARK = 'validated'
const SKILL_FILE = 'SKILL.md'
const MOST_FOLDERS = 5_000
const HEAD_BYTES = 32_768

type Environment = Readonly<Record<string, string | undefined>>

/** A folder that contains skills. */
export interface SkillRoot {
  readonly folder: string
  readonly of: 'claude-code' | 'project' | 'hermes' | 'named'
  /** Whether skills may lie one level deeper, in category folders. */
  readonly kinds: boolean
}

const MOST_PROJECTS = 500

/** Finds every skill in these folders once, however it is reached. Unreadable ones are left out. */
export async function findSkills(roots: readonly SkillRoot[]): Promise<readonly FoundSkill[]> {
  const found = new Map<string, { readonly skill: FoundSkill; readonly isLink: boolean }>()
  const left = { folders: MOST_FOLDERS }
  const seen = new Set<string>()
  for (const root of roots) {
    const folder = await realpath(root.folder).catch(() => null)
    if (folder === null || seen.has(folder)) continue
    seen.add(folder)
    const brought: ManagedSkills = root.of === 'hermes' ? await findManagedSkills(folder) : new Map()
    for await (const place of listPlaces(folder, root.kinds, left)) {
      const skill = await readSkill(place, root, brought)
      const real = await realpath(place.folder).catch(() => place.folder)
      // A link adds nothing when its target folder was found as well.
      if (skill && !(place.isLink && found.has(real)) && (found.get(real)?.isLink ?? true))
        found.set(real, { skill, isLink: place.isLink })
    }
  }
  return [...found.values()].map(({ skill }) => skill)
}

interface Place {
  readonly folder: string
  readonly root: string
  readonly isLink: boolean
}

async function* listPlaces(root: string, kinds: boolean, left: { folders: number }): AsyncGenerator<Place> {
  for (const one of await listFolders(root, left)) {
    const folder = join(root, one.name)
    const isLink = one.isSymbolicLink()
    if (await isFile(join(folder, SKILL_FILE))) yield { folder, root, isLink }
    else if (kinds && !isLink)
      for (const inner of await listFolders(folder, left)) {
        const deeper = join(folder, inner.name)
        if (await isFile(join(deeper, SKILL_FILE)))
          yield { folder: deeper, root, isLink: inner.isSymbolicLink() }
      }
  }
}

async function listFolders(folder: string, left: { folders: number }): Promise<readonly Dirent[]> {
  const all = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const own = all
    .filter((one) => one.isDirectory() || one.isSymbolicLink())
    .filter(({ name }) => name !== ARCHIVE && !name.startsWith('.'))
    .slice(0, left.folders)
  left.folders -= own.length
  return own
}

async function readSkill(
  { folder, root, isLink }: Place,
  { of }: SkillRoot,
  brought: ManagedSkills,
): Promise<FoundSkill | null> {
  const file = join(folder, SKILL_FILE)
  try {
    const [own, itsFile, head] = await Promise.all([stat(folder), lstat(file), readHead(file)])
    const front = readFrontMatter(head)
    const plain = basename(folder)
    const name = front.problem === null ? (front.name ?? plain) : plain
    if (!isName(name)) return null
    const above = dirname(folder)
    const names = [name, plain, ...(above === root ? [] : [`${basename(above)}/${plain}`])]
    const byHermes = names.map((each) => brought.get(each)).find((why) => why !== undefined)
    const kept = isLink
      ? 'it is a link, and its target may be used elsewhere'
      : itsFile.isSymbolicLink()
        ? 'its SKILL.md is a link'
        : (byHermes ?? (isReadOnly(own.mode) || isReadOnly(itsFile.mode) ? 'it is read-only' : front.problem))
    return {
      name,
      names: [...new Set(names)],
      description: front.description,
      tags: front.tags,
      of,
      folder,
      file,
      // Hermes reads every folder below its own under any name, so the archive must lie outside.
      archive: of === 'hermes' ? join(dirname(root), ARCHIVE) : join(above, ARCHIVE),
      changedAt: Math.max(own.mtimeMs, itsFile.mtimeMs),
      isMarked: front.stability === MARK,
      unmarkable: editProblem(editStability(head, front.stability === MARK ? null : MARK)),
      kept,
    }
  } catch {
    return null
  }
}

const editProblem = (edit: object | string): string | null => (typeof edit === 'string' ? edit : null)

/** The owner removed write permission, so Panoptes does not change the folder. */
const isReadOnly = (mode: number): boolean => (mode & 0o222) === 0

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

async function readHead(file: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

const LARGEST = 4 * 1024 * 1024

/** Skills in the folder of Hermes that are not the user's own, by name, with the reason. */
type ManagedSkills = ReadonlyMap<string, string>

/** Finds the skills that Hermes itself manages: the bundled ones and those from its hub. */
async function findManagedSkills(skills: string): Promise<ManagedSkills> {
  const [bundled, lock] = await Promise.all([
    readText(join(skills, '.bundled_manifest')),
    readText(join(skills, '.hub', 'lock.json')),
  ])
  return new Map([
    ...parseBundledNames(bundled).map(
      (name) => [name, 'it is built into Hermes, which keeps it up to date'] as const,
    ),
    ...parseHubNames(lock).map((name) => [name, 'the Hermes hub installed it'] as const),
  ])
}

/** Each line has a name, a colon and a digest. */
const parseBundledNames = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => (line.split(':')[0] ?? '').trim())
    .filter((name) => name !== '')

function parseHubNames(text: string): readonly string[] {
  try {
    const { installed } = parseJson(text) as { readonly installed?: unknown }
    return typeof installed === 'object' && installed !== null ? Object.keys(installed) : []
  } catch {
    return []
  }
}

async function readText(file: string): Promise<string> {
  try {
    const found = await stat(file)
    return found.isFile() && found.size <= LARGEST ? await readFile(file, 'utf8') : ''
  } catch {
    return ''
  }
}

/**
 * Lists the folders with skills: those of Claude Code, of the projects that sessions ran in, of Hermes, and
 * the configured ones.
 */
export function listSkillRoots(
  env: Environment,
  projects: readonly string[],
  named: readonly string[],
): readonly SkillRoot[] {
  const home = env.HOME || homedir()
  const claude = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const ofProjects = [...new Set(projects)].filter((folder) => isAbsolute(folder)).slice(0, MOST_PROJECTS)
  return [
    { folder: join(claude, 'skills'), of: 'claude-code', kinds: false },
    { folder: join(hermesHome(env), 'skills'), of: 'hermes', kinds: true },
    ...named.map((folder): SkillRoot => ({ folder: resolveFolder(folder, home), of: 'named', kinds: true })),
    ...ofProjects.map(
      (folder): SkillRoot => ({ folder: join(folder, '.claude', 'skills'), of: 'project', kinds: false }),
    ),
  ]
}

const resolveFolder = (folder: string, home: string): string =>
  folder === '~' || folder.startsWith('~/') ? join(home, folder.slice(1)) : resolve(home, folder)
