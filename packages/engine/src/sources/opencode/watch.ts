import { watchDatabases } from '../database/watch.ts'
import { databasesIn } from './places.ts'
import type { Store } from './store.ts'

/** The files of versions before the database are looked at so often, and more seldom where there are so many that it takes long. */
const LOOK_MS = 500
const REST = 20

/** Says when a database of a home changed, or the files where there is none. */
export function watchHome(home: string, files: Store, changed: () => void, every = LOOK_MS): () => void {
  const ends = [watchDatabases(() => databasesIn(home), changed), watchFiles(home, files, changed, every)]
  return () => {
    for (const end of ends) end()
  }
}

/** A folder for each message is too many for the system to watch. */
function watchFiles(home: string, files: Store, changed: () => void, every: number): () => void {
  let known: string | undefined
  let ended = false
  let timer: NodeJS.Timeout | undefined
  const seenNow = async (): Promise<string> => {
    if ((await databasesIn(home)).length > 0) return ''
    return (await files.rows()).map(({ id, text }) => `${id} ${text}`).join('\n')
  }
  const look = async () => {
    const begun = performance.now()
    // What cannot be looked at now may be later.
    const seen = await seenNow().catch(() => known)
    if (ended) return
    if (known !== undefined && seen !== known) changed()
    known = seen
    timer = setTimeout(look, Math.max(every, (performance.now() - begun) * REST))
    timer.unref()
  }
  void look()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
