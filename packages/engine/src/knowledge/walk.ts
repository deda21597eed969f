import { realpathSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'

const MARKDOWN = new Set(['.md', '.markdown', '.mdown', '.mkd', '.mdx'])
const TEXT = new Set([...MARKDOWN, '.txt', '.text', '.rst', '.adoc', '.asciidoc', '.org'])

export const isMarkdown = (path: string): boolean => MARKDOWN.has(extname(path).toLowerCase())

export interface Limits {
  /** The limit in bytes for one file and for all of them. */
  readonly file: number
  readonly bytes: number
  readonly files: number
  readonly folders: number
  readonly depth: number
}

export const LIMITS: Limits = {
  file: 8_388_608,
  bytes: 268_435_456,
  files: 20_000,
  folders: 20_000,
  depth: 32,
}

export interface FoundFile {
  /** The path below the root. */
  readonly path: string
  readonly size: number
  /** Changes whenever the content may have changed. */
  readonly mark: string
  /** True when the file changed so recently that it may change again within the same time stamp. */
  readonly isFresh: boolean
}

export interface WalkResult {
  readonly files: readonly FoundFile[]
  readonly folders: readonly string[]
  /** Folders that could not be read, below the root; the root itself is ''. */
  readonly unread: readonly { readonly path: string; readonly code: string }[]
  readonly tooLarge: number
  /** True when the walk stopped at a limit. */
  readonly isCut: boolean
}

const FRESH_MS = 2_000

/** Lists the text files below a root. It skips links and hidden entries. */
export async function walk(
  { real }: Root,
  others: ReadonlySet<string>,
  limits: Limits,
  stopped: () => boolean,
): Promise<WalkResult> {
  const files: FoundFile[] = []
  const folders: string[] = []
  const unread: WalkResult['unread'][number][] = []
  let [bytes, tooLarge, isCut] = [0, 0, false]
  const waiting = [{ path: '', depth: 0 }]
  for (let next = waiting.shift(); next !== undefined && !stopped(); next = waiting.shift()) {
    const { path, depth } = next
    if (folders.length >= limits.folders) {
      isCut = true
      break
    }
    const entries = await readdir(join(real, path), { withFileTypes: true }).catch((error: unknown) => {
      unread.push({ path, code: (error as NodeJS.ErrnoException).code ?? 'EIO' })
      return []
    })
    folders.push(join(real, path))
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const below = path === '' ? entry.name : join(path, entry.name)
      if (entry.isDirectory()) {
        if (others.has(join(real, below))) continue
        if (depth < limits.depth) waiting.push({ path: below, depth: depth + 1 })
        else isCut = true
      } else if (entry.isFile() && TEXT.has(extname(entry.name).toLowerCase())) {
        const noted = await noteFile(real, below)
        if (noted === undefined) continue
        if (noted.size > limits.file) tooLarge += 1
        else if (files.length >= limits.files || bytes + noted.size > limits.bytes) isCut = true
        else {
          bytes += noted.size
          files.push(noted)
        }
      }
    }
  }
  return { files, folders, unread, tooLarge, isCut }
}

async function noteFile(real: string, path: string): Promise<FoundFile | undefined> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await lstat(join(real, path))
    const isFresh = Date.now() - Math.max(mtimeMs, ctimeMs) < FRESH_MS
    return { path, size, mark: `${size} ${mtimeMs} ${ctimeMs} ${ino}`, isFresh }
  } catch {
    return undefined
  }
}

/** Resolves the folders of the config: `~` and relative paths start at the user's home. */
export const knowledgeFolders = (named: readonly string[], home: string): readonly string[] =>
  named.map((name) =>
    name === '~' || name.startsWith('~/') ? join(home, name.slice(1)) : resolve(home, name),
  )

export interface Root {
  /** The name the user gave it, which also identifies it in the index. */
  readonly folder: string
  /** The real path; each occurs once. */
  readonly real: string
}

export function resolveRoots(folders: readonly string[]): readonly Root[] {
  const roots = new Map<string, Root>()
  for (const folder of folders) {
    const real = realPath(folder)
    if (!roots.has(real)) roots.set(real, { folder, real })
  }
  return [...roots.values()]
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Names folders by their last segment, plus as many parent segments as it takes to tell them apart. */
export function folderNames(folders: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const folder of folders) {
    const parts = splitPath(folder)
    const others = folders.filter((other) => other !== folder).map(splitPath)
    let taken = 1
    const isShared = () =>
      others.some((other) => other.slice(-taken).join(sep) === parts.slice(-taken).join(sep))
    while (taken < parts.length && isShared()) taken += 1
    names.set(folder, parts.slice(-taken).join('/') || folder)
  }
  return names
}

const splitPath = (folder: string): readonly string[] => folder.split(sep).filter((part) => part !== '')
