import { toFailure } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { Lister } from './list.ts'
import { hermesHome, placed } from './places.ts'
import { findMessages, readSession } from './read.ts'
import { type StateDatabase, stateDatabase } from './state-database.ts'
import { watchHome } from './watch.ts'

export { hermesHome } from './places.ts'

/** The sessions in the databases of Hermes: its own and one per profile. */
export function hermesSource(home: string = hermesHome()): SessionSource {
  const databases = new Map<string, StateDatabase>()
  const databaseAt = (path: string): StateDatabase => {
    const database = databases.get(path) ?? stateDatabase(path)
    databases.set(path, database)
    return database
  }
  const lister = new Lister(home, databaseAt)
  return {
    name: 'hermes',
    list: (signal) => listed(lister, home, signal),
    read: (one, signal) => readSession(databaseAt(placed(one.place).path), one, signal),
    find: (one, ids) => findMessages(databaseAt(placed(one.place).path), one, ids),
    watch: (changed) => watchHome(home, changed),
  }
}

async function* listed(lister: Lister, home: string, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* lister.list(signal)
  } catch (error) {
    yield { kind: 'failed', failure: toFailure(error, home) }
  }
}
