import { type FSWatcher, statSync, watch } from 'node:fs'

/**
 * Says when something may have changed at a path: by the system's word, and by a slow look in case that fails. In a folder the
 * system also says which name.
 */
export function watchPath(path: string, changed: (name?: string) => void, pollMs: number): () => void {
  let watcher: FSWatcher | undefined
  let watched = ''

  const leave = () => {
    watcher?.close()
    watcher = undefined
    watched = ''
  }

  /** A watch belongs to what was at the path when it began. */
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
