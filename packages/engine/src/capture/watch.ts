import { type FSWatcher, statSync, watch } from 'node:fs'

/**
 * Calls back when something may have changed at a path, through a system watch and, in case that fails, a
 * slow poll. For a folder the system also gives the name.
 */
export function watchPath(path: string, changed: (name?: string) => void, pollMs: number): () => void {
  let watcher: FSWatcher | undefined
  let watched = ''

  const leave = () => {
    watcher?.close()
    watcher = undefined
    watched = ''
  }

  /** A watch stays bound to the file or folder that was at the path when it began. */
  const follow = () => {
    const found = statSync(path, { throwIfNoEntry: false })
    const now = found ? `${found.dev}:${found.ino}` : ''
    if (now === watched) return
    leave()
    if (now === '') return
    try {
      watcher = watch(path, { persistent: false }, (_type, name) => changed(name ?? undefined))
      watcher.on('error', leave)
      watched = now
    } catch {
      leave()
    }
  }

  const look = () => {
    try {
      follow()
    } catch {
      leave()
    }
    changed()
  }

  look()
  const polling = setInterval(look, pollMs)
  polling.unref()
  return () => {
    clearInterval(polling)
    leave()
  }
}
