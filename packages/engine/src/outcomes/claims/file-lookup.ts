import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The current content of a file. */
export interface LookedFile {
  readonly text: string
  readonly changed_at: number
}

/**
 * Reads what a pointer names and nothing else. Returns undefined if it does not exist or must not
 * be read.
 */
export interface Looking {
  /** A file of a project, or one named by its absolute path. */
  readonly file: (path: string, cwd: string | null) => Promise<LookedFile | undefined>
  /** The lines of a journal, by its name. */
  readonly journal: (name: string) => Promise<AsyncIterable<string> | undefined>
}

interface LookingOptions {
  /** The folder of Panoptes' own journals. */
  readonly journals: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * True if the sessions are from other computers: local files of the same names are not theirs.
   */
  readonly isElsewhere?: boolean
}

/** A file of more bytes is not read. */
const MOST_FILE = 4_194_304
const MOST_JOURNAL = 67_108_864
const MOST_LINE = 65_536
/** Virtual files that must not be read. */
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
        if (isThere) return readLines(path)
      }
      return undefined
    },
  }
}

/**
 * Allows files inside the project or named by an absolute path, but no hidden ones and none that a
 * link leads out to.
 */
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

/** Opens a regular file of limited size, without blocking on a pipe or device. */
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

/** Skips lines over the limit and lines that can no longer be read. */
async function* readLines(path: string): AsyncGenerator<string> {
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
