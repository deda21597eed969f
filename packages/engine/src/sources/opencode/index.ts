import { toFailure } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { DatabaseStore } from './database-store.ts'
import { FileStore } from './file-store.ts'
import { listSessions } from './list.ts'
import { databasesIn, openCodeHome, placed, storageIn } from './places.ts'
import { readSession } from './read.ts'
import type { Store } from './store.ts'
import { watchHome } from './watch.ts'

export { openCodeHome } from './places.ts'

/** The sessions in OpenCode's database, or in files of versions before it. */
export function openCodeSource(home: string = openCodeHome()): SessionSource {
  const stores = new Map<string, Store>()
  const storeAt = (path: string): Store => {
    const store = stores.get(path) ?? (path.endsWith('.db') ? new DatabaseStore(path) : new FileStore(path))
    stores.set(path, store)
    return store
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
    // Sessions that were moved into the database, and possibly deleted there, must not reappear.
    const paths = databases.length > 0 ? databases : [storageIn(home)]
    yield* listSessions(paths.map(storeAt), signal)
  } catch (error) {
    yield { kind: 'failed', failure: toFailure(error, home) }
  }
}
