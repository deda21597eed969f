import { failureOf } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { Lister } from './list.ts'
import { hermesHome, placed } from './places.ts'
import { findMessages, readSession } from './read.ts'
import { type StateDatabase, stateDatabase } from './state-database.ts'
import { watchHome } from './watch.ts'

export { hermesHome } from './places.ts'

/** The sessions that Hermes keeps in its databases: its own and one for each profile. */
export function hermesSource(home: string = hermesHome()): SessionSource {
  const databases = new Map<string, StateDatabase>()
  const databaseOf = (path: string): StateDatabase => {
    const known = databases.get(path) ?? stateDatabase(path)
    databases.set(path, known)
    return known
  }
  const lister = new Lister(home, databaseOf)
  return {
    name: 'hermes',
    list: (signal) => listed(lister, home, signal),
    read: (one, signal) => readSession(databaseOf(placed(one.place).path), one, signal),
    find: (one, ids) => findMessages(databaseOf(placed(one.place).path), one, ids),
    watch: (changed) => watchHome(home, changed),
  }
}

async function* listed(lister: Lister, home: string, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* lister.list(signal)
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, home) }
  }
}
