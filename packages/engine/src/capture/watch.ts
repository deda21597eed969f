import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** Where the system reports changes, this check only finds what it lost. */
const SWEEP_MS = 60_000
const POLL_MS = 1_000

/**
 * Calls back when something may have changed at a path: through a watch of the system, or every second where it
 * has none. For a folder the system also gives the name. While the path does not exist, the nearest folder above
 * it is watched.
 */
export function watchPath(path: string, changed: (name?: string) => void): () => void {
  const wanted = resolve(path)
  let watcher: FSWatcher | undefined
  let watched = ''
  let timer: NodeJS.Timeout | undefined
  let ended = false

  const leave = () => {
    watcher?.close()
    watcher = undefined
    watched = ''
  }

  /** A watch stays bound to the file or folder that was at the path when it began. */
  const follow = () => {
    const now = idAt(wanted)
    const at = now === '' ? nearestAbove(wanted) : wanted
    const id = now === '' ? `above ${idAt(at)}` : now
    if (id === watched) return
    leave()
    const next = now === '' ? wanted.slice(at.length).split(sep).find(Boolean) : undefined
    watcher = watch(at, { persistent: false }, (_type, name) => {
      // An event with the watched name may say that it was moved, deleted or replaced.
      if (name === null || name === next || name === basename(at)) look()
      else if (next === undefined) changed(name)
    })
    watcher.on('error', leave)
    watched = id
    // The next folder may have been created before the watch began.
    if (next !== undefined && idAt(join(at, next)) !== '') follow()
  }

  const look = () => {
    if (ended) return
    try {
      follow()
    } catch {
      leave()
    }
    clearTimeout(timer)
    timer = setTimeout(look, watcher === undefined ? POLL_MS : SWEEP_MS).unref()
    changed()
  }

  look()
  return () => {
    ended = true
    clearTimeout(timer)
    leave()
  }
}

/** Returns the identity of what is at a path; empty when there is nothing. */
function idAt(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}

function nearestAbove(path: string): string {
  let above = dirname(path)
  while (idAt(above) === '' && dirname(above) !== above) above = dirname(above)
  return above
}
