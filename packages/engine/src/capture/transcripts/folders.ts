import { type FSWatcher, watch } from 'node:fs'

/**
 * Watches a bounded number of folders for changes and reports the name of the changed entry where the system
 * provides it.
 */
export interface Folders {
  readonly watch: (folder: string, changed: (name: string | undefined) => void) => void
  readonly close: () => void
}

const MOST_FOLDERS = 512

export function createFolders(): Folders {
  const watchers = new Map<string, FSWatcher>()

  const leave = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  return {
    watch: (folder, changed) => {
      if (watchers.has(folder)) return
      try {
        const watcher = watch(folder, { persistent: false }, (_type, name) => changed(name ?? undefined))
        watcher.on('error', () => leave(folder))
        watchers.set(folder, watcher)
      } catch {
        return
      }
      for (const oldest of watchers.keys()) {
        if (watchers.size <= MOST_FOLDERS) return
        leave(oldest)
      }
    },
    close: () => {
      for (const folder of [...watchers.keys()]) leave(folder)
    },
  }
}
