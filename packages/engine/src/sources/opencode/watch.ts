import { watchDatabases } from '../database/watch.ts'
import { databasesIn } from './places.ts'
import type { Store } from './store.ts'

/** How often the files of old versions are checked. The interval grows when a check takes long. */
const LOOK_MS = 500
const REST = 20

/** Calls back when a database of a home changed, or the files where there is none. */
export function watchHome(home: string, files: Store, changed: () => void, every = LOOK_MS): () => void {
  const ends = [watchDatabases(() => databasesIn(home), changed), watchFiles(home, files, changed, every)]
  return () => {
    for (const end of ends) end()
  }
}

/** Polls the files, because one folder per message is too many for system watches. */
function watchFiles(home: string, files: Store, changed: () => void, every: number): () => void {
  let previous: string | undefined
  let ended = false
  let timer: NodeJS.Timeout | undefined
  const seenNow = async (): Promise<string> => {
    if ((await databasesIn(home)).length > 0) return ''
    return (await files.rows()).map(({ id, text }) => `${id} ${text}`).join('\n')
  }
  const look = async () => {
    const begun = performance.now()
    // What cannot be read now may be readable later.
    const seen = await seenNow().catch(() => previous)
    if (ended) return
    if (previous !== undefined && seen !== previous) changed()
    previous = seen
    timer = setTimeout(look, Math.max(every, (performance.now() - begun) * REST))
    timer.unref()
  }
  void look()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
