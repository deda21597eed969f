import type { DatabaseSync } from 'node:sqlite'
import type { SessionRef } from '@panoptes/schema'
import { inTransaction } from '../in-transaction.ts'
import { Statements } from '../statements.ts'
import { AccountWrites } from './put.ts'

/** What a session amounted to goes whole, out of every sum too. Answers how many accounts and lines of journals went. */
export function forgetAccount(db: DatabaseSync, { source, id }: SessionRef): number {
  let count = 0
  inTransaction(db, () => {
    const writes = new AccountWrites(new Statements(db))
    if (writes.remove(source, id)) count += 1
    writes.finish()
    const dropped = db
      .prepare('DELETE FROM account_journal WHERE source = ? AND session_id = ?')
      .run(source, id)
    count += Number(dropped.changes)
  })
  return count
}

/** Names that nothing has any more: the sums over all days have every one that is in use. */
export function dropNames(db: DatabaseSync): void {
  const used = [
    ...['source', 'project', 'model', 'name'].map((column) => ['account_cost_sums', column, "day = ''"]),
    ...['source', 'project', 'type', 'model', 'outcome'].map((column) => [
      'account_agents_sums',
      column,
      'day = -1',
    ]),
    ...['source', 'project', 'model', 'tier', 'verdict'].map((column) => [
      'account_claims_sums',
      column,
      'day = -1',
    ]),
    ...['source', 'project', 'skill'].map((column) => ['account_uses_sums', column, 'day = -1']),
    ...['source', 'project'].map((column) => ['account_followups_sums', column, 'day = -1']),
  ]
  const all = used.map(([table, column, day]) => `SELECT ${column} FROM ${table} WHERE ${day}`)
  db.exec(`DELETE FROM account_names WHERE id NOT IN (${all.join(' UNION ')})`)
}
