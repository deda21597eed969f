import { watchDatabases } from '../database/watch.ts'
import { failureOf } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { type OpenCodeDatabase, openCodeDatabase } from './database.ts'
import { Lister } from './list.ts'
import { databasesIn, openCodeHome, placed } from './places.ts'
import { readSession } from './read.ts'

export { openCodeHome } from './places.ts'

/** The sessions that OpenCode keeps in its database: each with those it made is one. */
export function openCodeSource(home: string = openCodeHome()): SessionSource {
  const databases = new Map<string, OpenCodeDatabase>()
  const databaseOf = (path: string): OpenCodeDatabase => {
    const known = databases.get(path) ?? openCodeDatabase(path)
    databases.set(path, known)
    return known
  }
  const lister = new Lister(home, databaseOf)
  return {
    name: 'opencode',
    list: (signal) => listed(lister, home, signal),
    read: (one, signal) => readSession(databaseOf(placed(one.place).path), one, signal),
    watch: (changed) => watchDatabases(() => databasesIn(home), changed),
  }
}

async function* listed(lister: Lister, home: string, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* lister.list(signal)
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, home) }
  }
}
