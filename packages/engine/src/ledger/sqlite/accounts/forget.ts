import type { DatabaseSync } from 'node:sqlite'
import type { SessionRef } from '@panoptes/schema'
import { DROP_NAMES } from '../../accounts/used-names.ts'
import { inTransaction } from '../in-transaction.ts'
import { Statements } from '../statements.ts'
import { writeAccounts } from './store.ts'

/** What a session amounted to goes whole, out of every sum too. Answers how many accounts and lines of journals went. */
export function forgetAccount(db: DatabaseSync, { source, id }: SessionRef): number {
  return inTransaction(db, () => {
    const wasThere = writeAccounts(new Statements(db), (writes) => writes.remove(source, id))
    const dropped = db
      .prepare('DELETE FROM account_journal WHERE source = ? AND session_id = ?')
      .run(source, id)
    return Number(wasThere) + Number(dropped.changes)
  })
}

export const dropNames = (db: DatabaseSync): void => db.exec(DROP_NAMES)
