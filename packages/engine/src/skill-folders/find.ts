import type { Dirent } from 'node:fs'
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isName } from '@panoptes/schema'
import { type Brought, broughtByHermes } from './brought.ts'
import { editStability, readFrontMatter } from './front-matter.ts'
import type { SkillRoot } from './roots.ts'

/** A folder with a SKILL.md. */
export interface FoundSkill {
  readonly name: string
  /** Everything that uses of it may be told under. */
  readonly names: readonly string[]
  /** When to use it, by its own front matter. */
  readonly description: string | null
  readonly tags: readonly string[]
  readonly of: SkillRoot['of']
  readonly folder: string
  readonly file: string
  /** Where it goes when it is archived. */
  readonly archive: string
  readonly changedAt: number
  readonly isMarked: boolean
  /** Why it cannot be marked, while it may be moved. */
  readonly unmarkable: string | null
  /** Why it is left as it is, whatever the verdict: it is not ours to touch, or it cannot be read. */
  readonly kept: string | null
}

const ARCHIVE = '_archive'
export const MARK = 'validated'
const SKILL_FILE = 'SKILL.md'
const MOST_FOLDERS = 5_000
const HEAD_BYTES = 32_768

/** Every skill in these folders, once, by whatever way it is reached. What cannot be read is left out. */
export async function findSkills(roots: readonly SkillRoot[]): Promise<readonly FoundSkill[]> {
  const found = new Map<string, { readonly skill: FoundSkill; readonly isLink: boolean }>()
  const left = { folders: MOST_FOLDERS }
  const seen = new Set<string>()
  for (const root of roots) {
    const folder = await realpath(root.folder).catch(() => null)
    if (folder === null || seen.has(folder)) continue
    seen.add(folder)
    const brought: Brought = root.of === 'hermes' ? await broughtByHermes(folder) : new Map()
    for await (const place of placesIn(folder, root.kinds, left)) {
      const skill = await readSkill(place, root, brought)
      const real = await realpath(place.folder).catch(() => place.folder)
      // A link to a folder that is found itself says nothing more.
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

async function* placesIn(root: string, kinds: boolean, left: { folders: number }): AsyncGenerator<Place> {
  for (const one of await foldersIn(root, left)) {
    const folder = join(root, one.name)
    const isLink = one.isSymbolicLink()
    if (await isFile(join(folder, SKILL_FILE))) yield { folder, root, isLink }
    else if (kinds && !isLink)
      for (const inner of await foldersIn(folder, left)) {
        const deeper = join(folder, inner.name)
        if (await isFile(join(deeper, SKILL_FILE)))
          yield { folder: deeper, root, isLink: inner.isSymbolicLink() }
      }
  }
}

async function foldersIn(folder: string, left: { folders: number }): Promise<readonly Dirent[]> {
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
  brought: Brought,
): Promise<FoundSkill | null> {
  const file = join(folder, SKILL_FILE)
  try {
    const [own, itsFile, head] = await Promise.all([stat(folder), lstat(file), headOf(file)])
    const front = readFrontMatter(head)
    const plain = basename(folder)
    const name = front.problem === null ? (front.name ?? plain) : plain
    if (!isName(name)) return null
    const above = dirname(folder)
    const names = [name, plain, ...(above === root ? [] : [`${basename(above)}/${plain}`])]
    const byHermes = names.map((each) => brought.get(each)).find((why) => why !== undefined)
    const kept = isLink
      ? 'it is a link, and what it leads to may be used elsewhere'
      : itsFile.isSymbolicLink()
        ? 'its SKILL.md is a link'
        : (byHermes ??
          (isClosed(own.mode) || isClosed(itsFile.mode) ? 'it is closed for writing' : front.problem))
    return {
      name,
      names: [...new Set(names)],
      description: front.description,
      tags: front.tags,
      of,
      folder,
      file,
      // Hermes reads every folder below its own, whatever it is called.
      archive: of === 'hermes' ? join(dirname(root), ARCHIVE) : join(above, ARCHIVE),
      changedAt: Math.max(own.mtimeMs, itsFile.mtimeMs),
      isMarked: front.stability === MARK,
      unmarkable: whyNot(editStability(head, front.stability === MARK ? null : MARK)),
      kept,
    }
  } catch {
    return null
  }
}

const whyNot = (edit: object | string): string | null => (typeof edit === 'string' ? edit : null)

/** A folder that its owner closed is theirs to open. */
const isClosed = (mode: number): boolean => (mode & 0o222) === 0

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

async function headOf(file: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
