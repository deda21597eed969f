import { watchDatabases } from '../database/watch.ts'
import { watchTree } from '../file-tree.ts'
import { DATABASE, databasesIn } from './places.ts'
import type { Store } from './store.ts'

/** How often the files of old versions are checked while they change. The interval grows when a check takes long. */
const LOOK_MS = 500
const REST = 20
const ACTIVE_MS = 600_000

const isDatabase = (path: string): boolean => DATABASE.test(path.replace(/-wal$/, ''))
/** Every message has a folder of its own, so only the folders above are watched. */
const FOLDERS = /^storage(?:\/(?:message|session)(?:\/[^/]+)?|\/session\/[^/]+\/[^/]+)?$/
const isFolder = (path: string): boolean => FOLDERS.test(path)

/** Calls back when a database of a home changed, or the files where there is none. */
export function watchHome(home: string, files: Store, changed: () => void, every = LOOK_MS): () => void {
  const tree = { folder: home, depth: 0, isWanted: isDatabase }
  const ends = [
    watchDatabases(tree, () => databasesIn(home), changed),
    watchFiles(home, files, changed, every),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Checks the files while a session is active. */
function watchFiles(home: string, files: Store, changed: () => void, every: number): () => void {
  let previous: string | undefined
  let ended = false
  let isLooking = false
  let activeUntil = 0
  let timer: NodeJS.Timeout | undefined
  const readSeen = async (): Promise<string> => {
    if ((await databasesIn(home)).length > 0) return ''
    return (await files.rows()).map(({ id, text }) => `${id} ${text}`).join('\n')
  }
  const look = async () => {
    isLooking = true
    const begun = performance.now()
    // What cannot be read now may be readable later.
    const seen = await readSeen().catch(() => previous)
    isLooking = false
    if (ended) return
    if (previous !== undefined && seen !== previous) changed()
    previous = seen
    const wait = Math.max(every, (performance.now() - begun) * REST)
    timer = performance.now() > activeUntil || seen === '' ? undefined : setTimeout(look, wait).unref()
  }
  const unwatch = watchTree({ folder: home, depth: 3, isWanted: isFolder }, () => {
    activeUntil = performance.now() + ACTIVE_MS
    if (timer === undefined && !isLooking) void look()
  })
  void look()
  return () => {
    ended = true
    clearTimeout(timer)
    unwatch()
  }
}
