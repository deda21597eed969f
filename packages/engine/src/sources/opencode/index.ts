import { failureOf } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { DatabaseStore } from './database-store.ts'
import { FileStore } from './file-store.ts'
import { listSessions } from './list.ts'
import { databasesIn, openCodeHome, placed, storageIn } from './places.ts'
import { readSession } from './read.ts'
import type { Store } from './store.ts'
import { watchHome } from './watch.ts'

export { openCodeHome } from './places.ts'

/** The sessions that OpenCode keeps in its database, or kept in files before it had one. */
export function openCodeSource(home: string = openCodeHome()): SessionSource {
  const stores = new Map<string, Store>()
  const storeAt = (path: string): Store => {
    const known = stores.get(path) ?? (path.endsWith('.db') ? new DatabaseStore(path) : new FileStore(path))
    stores.set(path, known)
    return known
  }
  return {
    name: 'opencode',
    list: (signal) => listed(home, storeAt, signal),
    read: (one, signal) => readSession(storeAt(placed(one.place).path), one, signal),
    watch: (changed) => watchHome(home, storeAt(storageIn(home)), changed),
  }
}

async function* listed(
  home: string,
  storeAt: (path: string) => Store,
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  try {
    const databases = await databasesIn(home)
    // What was moved into the database, and may have been deleted there, must not come back.
    const paths = databases.length > 0 ? databases : [storageIn(home)]
    yield* listSessions(paths.map(storeAt), signal)
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, home) }
  }
}
