import { type FSWatcher, watch } from 'node:fs'

/** Changes arrive in bursts, so they are collected for this long. */
const GATHER_MS = 300
/** Changes in further folders are found by periodic refreshes. */
const MOST_WATCHED = 1_000

/** Watches folders, each without its subfolders, and reports when something in one of them changed. */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Watches exactly these folders from now on. */
  follow(folders: readonly string[]): void {
    const wanted = new Set(folders.slice(0, MOST_WATCHED))
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder)
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder)
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#note())
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // Where the system cannot watch, periodic refreshes find the changes.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #note(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#changed()
    }, GATHER_MS)
  }
}
