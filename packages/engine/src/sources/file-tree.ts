import { type FSWatcher, readdirSync, type Stats, statfsSync, statSync, watch } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface TreeOptions {
  readonly folder: string
  /** The number of levels of folders below it. */
  readonly depth: number
  /** Returns whether a file or folder matters. Its path is relative to the folder, with `/` between names. */
  readonly isWanted?: ((path: string) => boolean) | undefined
}

/** Receives the path below the folder; undefined when anything may have changed. */
export type TreeListener = (path?: string) => void

/** Where the system reports changes, this sweep only finds what it lost. */
const SWEEP_MS = 60_000
/** Where the system reports none, all files are checked this often, and more often while one of them changes. */
const POLL_MS = 5_000
const ACTIVE_POLL_MS = 1_000
const ACTIVE_MS = 600_000
/** Sweeps take at most one part in this many of the time. */
const SHARE = 50
const SLICE_MS = 5
/** An event arrives a little after the change. */
const LATE_MS = 1_000
const MOST_FOLDERS = 1_024
const MOST_FILES = 100_000
/** More changes at once are reported as one. */
const MOST_REPORTED = 100
/** NFS, SMB, CIFS, SMB2, 9P and FUSE, where other computers change files without an event on this one. */
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546])

const wantsAll = (): boolean => true

const trees = new Set<Tree>()

/**
 * Calls back when something in a folder changed. The folder may be created later. Everybody who watches a folder
 * shares the watches of the system and the sweeps.
 */
export function watchTree(options: TreeOptions, changed: TreeListener): () => void {
  const tree = [...trees].find((each) => each.isSame(options)) ?? new Tree(options)
  trees.add(tree)
  // The same function may listen twice.
  const listener: TreeListener = (path) => changed(path)
  tree.listeners.add(listener)
  return () => {
    tree.listeners.delete(listener)
    if (tree.listeners.size > 0 || !trees.delete(tree)) return
    tree.close()
  }
}

interface WatchedFolder {
  readonly watcher: FSWatcher
  /** Differs for a recreated folder of the same name. */
  readonly id: string
}

class Tree {
  readonly listeners = new Set<TreeListener>()
  readonly #folder: string
  readonly #depth: number
  readonly #isWanted: (path: string) => boolean
  readonly #watched = new Map<string, WatchedFolder>()
  /** Watches the nearest folder that exists, while the tree does not. */
  #above: FSWatcher | undefined
  #rootId: string | undefined
  /** The system cannot report changes here. */
  #isDeaf = false
  #activeUntil = 0
  /** The system did not report a recent change. */
  #missesUntil = 0
  /** The size and time of each file as of the last sweep. */
  #marks: Map<string, number> | undefined
  /** What the system reported since the last sweep. */
  #heard = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ folder, depth, isWanted = wantsAll }: TreeOptions) {
    this.#folder = resolve(folder)
    this.#depth = depth
    this.#isWanted = isWanted
    this.#checkRoot()
    void this.#sweep()
  }

  isSame({ folder, depth, isWanted = wantsAll }: TreeOptions): boolean {
    return this.#folder === resolve(folder) && this.#depth === depth && this.#isWanted === isWanted
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#above?.close()
    this.#drop('')
  }

  #report(path?: string): void {
    this.#activeUntil = Date.now() + ACTIVE_MS
    if (path !== undefined && this.#heard.size < MOST_FILES) this.#heard.add(path)
    for (const listener of this.listeners) listener(path)
  }

  /** Follows the folder, or waits for it at the nearest folder that exists. */
  #checkRoot(): void {
    if (this.#isClosed) return
    const id = folderId(this.#folder)
    if (id === this.#rootId && (id !== undefined || this.#above !== undefined)) return
    this.#above?.close()
    this.#above = undefined
    this.#drop('')
    const before = this.#rootId
    this.#rootId = id
    if (id === undefined) this.#awaitRoot()
    else {
      this.#isDeaf = isRemote(this.#folder)
      this.#follow('', 0)
    }
    if (this.#marks !== undefined || before !== undefined) this.#report()
  }

  #awaitRoot(): void {
    let existing = dirname(this.#folder)
    while (folderId(existing) === undefined && dirname(existing) !== existing) existing = dirname(existing)
    const next = this.#folder.slice(existing.length).split(sep).find(Boolean)
    try {
      this.#above = watch(existing, { persistent: false }, (_type, name) => {
        if (name === null || name === next || name === basename(existing)) this.#retryRoot()
      })
      this.#above.on('error', () => this.#retryRoot())
    } catch {
      return
    }
    // The next folder may have been created before the watch began.
    if (next !== undefined && folderId(join(existing, next)) !== undefined) this.#retryRoot()
  }

  #retryRoot(): void {
    if (this.#rootId !== undefined) return
    this.#above?.close()
    this.#above = undefined
    this.#checkRoot()
  }

  /** Where there are too many folders, one that just changed takes the place of the oldest of the deepest. */
  #makeRoom(): void {
    while (this.#watched.size >= MOST_FOLDERS) {
      let deepest = ''
      for (const path of this.#watched.keys()) if (depthOf(path) > depthOf(deepest)) deepest = path
      if (deepest === '') return
      this.#drop(deepest)
    }
  }

  /**
   * Follows a folder and those below it, level by level: in those above, more changes and new ones appear. Where
   * there are too many in a level, those that changed last are more likely to change again.
   */
  #follow(path: string, level: number): void {
    let folders: readonly string[] = [path]
    for (let below = level; folders.length > 0; below += 1) {
      const followed = folders.filter((each) => this.#followOne(each, below))
      if (below >= this.#depth) return
      const inside = followed.flatMap((each) => this.#entriesIn(each)).filter((entry) => entry.isFolder)
      const isTooMuch = inside.length > MOST_FOLDERS - this.#watched.size
      folders = (isTooMuch ? newestFirst(this.#folder, inside) : inside).map((entry) => entry.path)
    }
  }

  /** Returns whether it was not followed before and is now. */
  #followOne(path: string, level: number): boolean {
    if (this.#isDeaf) return false
    const folder = join(this.#folder, path)
    const id = folderId(folder)
    const known = this.#watched.get(path)
    if (known?.id === id) return false
    this.#drop(path)
    if (id === undefined || this.#watched.size >= MOST_FOLDERS) return false
    try {
      const watcher = watch(folder, { persistent: false }, (type, name) =>
        this.#hear(path, level, type, name),
      )
      watcher.on('error', () => this.#drop(path))
      this.#watched.set(path, { watcher, id })
      return true
    } catch (error) {
      // The system has no watches left, or supports none here.
      if (folderId(folder) !== undefined && (error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#isDeaf = true
      return false
    }
  }

  #hear(path: string, level: number, type: string, name: string | null): void {
    if (this.#isClosed) return
    if (path === '' && type === 'rename') this.#checkRoot()
    if (name === null) {
      this.#report()
      return
    }
    const changed = path === '' ? name : `${path}/${name}`
    if (!this.#isWanted(changed)) return
    if (type === 'rename' && level < this.#depth) {
      if (folderId(join(this.#folder, changed)) === undefined) this.#drop(changed)
      else {
        this.#makeRoom()
        this.#follow(changed, level + 1)
      }
    }
    this.#report(changed)
  }

  /** Ends the watches of a folder and of those below it. */
  #drop(path: string): void {
    for (const [each, { watcher }] of this.#watched) {
      if (path !== '' && each !== path && !each.startsWith(`${path}/`)) continue
      watcher.close()
      this.#watched.delete(each)
    }
  }

  #entriesIn(path: string): readonly { readonly path: string; readonly isFolder: boolean }[] {
    try {
      return readdirSync(join(this.#folder, path), { withFileTypes: true }).flatMap((entry) => {
        const below = path === '' ? entry.name : `${path}/${entry.name}`
        return this.#isWanted(below) ? [{ path: below, isFolder: entry.isDirectory() }] : []
      })
    } catch {
      return []
    }
  }

  async #sweep(): Promise<void> {
    const began = performance.now()
    this.#checkRoot()
    const heard = this.#heard
    this.#heard = new Set()
    const before = this.#marks
    const marks = await this.#readMarks()
    this.#marks = marks
    if (this.#isClosed) return
    const took = performance.now() - began
    if (before !== undefined) await this.#reportMissed(changesBetween(before, marks), heard)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#sweep(), Math.max(this.#intervalMs(), SHARE * took)).unref()
  }

  #isMissing(): boolean {
    return Date.now() < this.#missesUntil
  }

  #intervalMs(): number {
    if (this.#isMissing()) return ACTIVE_POLL_MS
    if (this.#isDeaf) return Date.now() < this.#activeUntil ? ACTIVE_POLL_MS : POLL_MS
    return SWEEP_MS
  }

  async #readMarks(): Promise<Map<string, number>> {
    const marks = new Map<string, number>()
    if (this.#rootId === undefined) return marks
    const folders = [{ path: '', level: 0 }]
    let sliceEnd = performance.now() + SLICE_MS
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const { path, level } = next
      this.#follow(path, level)
      for (const entry of this.#entriesIn(path)) {
        if (entry.isFolder) {
          if (level < this.#depth) folders.push({ path: entry.path, level: level + 1 })
          continue
        }
        const found = findStats(join(this.#folder, entry.path))
        if (found !== undefined && marks.size < MOST_FILES)
          marks.set(entry.path, found.mtimeMs + found.size * 4_096)
        if (performance.now() < sliceEnd) continue
        await nextTurn()
        if (this.#isClosed) return marks
        sliceEnd = performance.now() + SLICE_MS
      }
    }
    return marks
  }

  /** Reports changes without an event. Where there are such, the system misses others as well. */
  async #reportMissed(changed: readonly string[], heard: ReadonlySet<string>): Promise<void> {
    let missed = changed.filter((path) => !heard.has(path) && !this.#heard.has(path))
    if (missed.length === 0) return
    if (!this.#isDeaf && !this.#isMissing()) {
      await new Promise((done) => setTimeout(done, LATE_MS).unref())
      missed = missed.filter((path) => !this.#heard.has(path))
    }
    if (this.#isClosed || missed.length === 0) return
    this.#missesUntil = Date.now() + ACTIVE_MS
    if (missed.length > MOST_REPORTED) this.#report()
    else for (const path of missed) this.#report(path)
    // The next sweep must not take these reports for events.
    this.#heard = new Set()
  }
}

const depthOf = (path: string): number => (path === '' ? 0 : path.split('/').length)

function changesBetween(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): string[] {
  const changed = [...now].flatMap(([path, mark]) => (before.get(path) === mark ? [] : [path]))
  for (const path of before.keys()) if (!now.has(path)) changed.push(path)
  return changed
}

function newestFirst<T extends { readonly path: string }>(
  folder: string,
  entries: readonly T[],
): readonly T[] {
  return entries
    .map((entry) => ({ entry, at: findStats(join(folder, entry.path))?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .map(({ entry }) => entry)
}

function findStats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function folderId(path: string): string | undefined {
  const found = findStats(path)
  return found?.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeMs}` : undefined
}

function isRemote(folder: string): boolean {
  try {
    return REMOTE.has(statfsSync(folder).type)
  } catch {
    return false
  }
}
