import { existsSync } from 'node:fs'
import { databaseFailureOf } from '../database/failures.ts'
import { SharedDatabase } from '../database/shared-database.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { conversationsIn } from './list.ts'
import { ledgerFile } from './places.ts'
import { findMessages, readConversation } from './read.ts'
import { statementsOf } from './statements.ts'
import { watchConversations } from './watch.ts'

export { ledgerFile } from './places.ts'

/** The conversations that are kept in the ledger, read like those of any other agent. */
export function panoptesSource(file: string = ledgerFile()): SessionSource {
  const open = () => new SharedDatabase(file, statementsOf, { isOurs: true })
  const database = open()
  return {
    name: 'panoptes',
    list: (signal) => listed(database, signal),
    read: (one, signal) => readConversation(database, one, signal),
    find: (one, ids) => findMessages(database, one, ids),
    watch: (changed) => watchConversations(open(), changed),
  }
}

async function* listed(
  database: SharedDatabase<NonNullable<ReturnType<typeof statementsOf>>>,
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  if (!existsSync(database.path)) return
  try {
    for (const one of await conversationsIn(database, signal)) yield { kind: 'listed', ...one }
  } catch (error) {
    yield { kind: 'failed', failure: databaseFailureOf(error, database.path, 'Panoptes') }
  }
}
