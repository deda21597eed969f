import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** A file as it is now. */
export interface LookedFile {
  readonly text: string
  readonly changed_at: number
}

/** Reads what a pointer names, and nothing else. Undefined where there is nothing, or nothing that may be looked at. */
export interface Looking {
  /** A file of a project, or one that is named by its whole path. */
  readonly file: (path: string, cwd: string | null) => Promise<LookedFile | undefined>
  /** The lines of a journal, by its name. */
  readonly journal: (name: string) => Promise<AsyncIterable<string> | undefined>
}

interface LookingOptions {
  /** Panoptes' own. */
  readonly journals: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Sessions are of other computers: what they point at is there, and files of the same names here are none of theirs. */
  readonly isElsewhere?: boolean
}

/** In bytes. */
const MOST_FILE = 4_194_304
const MOST_JOURNAL = 67_108_864
const MOST_LINE = 65_536
/** No files, though they look like some. */
const SYSTEM = /^\/(?:proc|sys|dev|run)(?:\/|$)/

export function createLooking({ journals, env = process.env, isElsewhere = false }: LookingOptions): Looking {
  const home = env.HOME || homedir()
  const claude = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const folders = isElsewhere ? [journals] : [journals, join(claude, 'memory', 'time-metrics')]
  return {
    file: async (path, cwd) => {
      if (isElsewhere) return undefined
      const named = path.startsWith('~/') ? join(home, path.slice(2)) : path
      if (cwd === null && !isAbsolute(named)) return undefined
      const real = await realpath(resolve(cwd ?? '/', named)).catch(() => undefined)
      const root = cwd === null ? undefined : await realpath(cwd).catch(() => undefined)
      if (real === undefined || !mayLook(real, root, isAbsolute(named))) return undefined
      return reading(real, MOST_FILE, async (handle, { size, mtimeMs }) => {
        const buffer = Buffer.alloc(size)
        const { bytesRead } = await handle.read(buffer, 0, size, 0)
        return { text: buffer.toString('utf8', 0, bytesRead), changed_at: mtimeMs }
      })
    },
    journal: async (name) => {
      if (!/^\w[\w.-]{0,120}$/.test(name)) return undefined
      const file = name.endsWith('.jsonl') ? name : `${name}.jsonl`
      for (const folder of folders) {
        const path = join(folder, file)
        const isThere = await reading(path, MOST_JOURNAL, async () => true)
        if (isThere) return linesOf(path)
      }
      return undefined
    },
  }
}

/** Within the project, or by its whole path; nothing that is hidden there, and nothing that a link leads out to. */
function mayLook(real: string, root: string | undefined, isWhole: boolean): boolean {
  if (SYSTEM.test(real)) return false
  const within = root === undefined ? undefined : relative(root, real)
  const isInside = within !== undefined && within !== '' && !within.startsWith('..') && !isAbsolute(within)
  if (!isInside && !isWhole) return false
  return !(isInside ? within : real).split(sep).some((part) => part.startsWith('.'))
}

interface Stat {
  readonly size: number
  readonly mtimeMs: number
}

/** Opens a regular file of a bounded size; a pipe or device is not waited for. */
async function reading<T>(
  path: string,
  most: number,
  use: (handle: FileHandle, stat: Stat) => Promise<T>,
): Promise<T | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = await handle.stat()
    return stat.isFile() && stat.size <= most ? await use(handle, stat) : undefined
  } catch {
    return undefined
  } finally {
    await handle?.close().catch(() => undefined)
  }
}

/** What is beyond the bound of a line, and lines that cannot be read any more, are left out. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    for await (const line of handle.readLines()) yield line.slice(0, MOST_LINE)
  } catch {
    return
  } finally {
    await handle?.close().catch(() => undefined)
  }
}
