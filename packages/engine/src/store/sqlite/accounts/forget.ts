import type { DatabaseSync } from 'node:sqlite'
import type { SessionRef } from '@panoptes/schema'
import { DROP_NAMES } from '../../accounts/drop-names.ts'
import { inTransaction } from '../in-transaction.ts'
import { Statements } from '../statements.ts'
import { writeAccounts } from './store.ts'

/**
 * Removes a session's account completely, including its share of every sum. Returns how many accounts and
 * journal lines were removed.
 */
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
