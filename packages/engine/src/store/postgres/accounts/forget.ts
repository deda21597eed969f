import { DROP_NAMES } from '../../accounts/drop-names.ts'
import type { Forgetter } from '../forget.ts'
import { lockAccounts, writeAccounts } from './account-writes.ts'
import { accountKey } from './load.ts'

/**
 * Removes a session's account completely: its rows, its share of every sum, and the names that nothing else
 * uses.
 */
export const forgetAccount: Forgetter = async (connection, { source, id }) => {
  await lockAccounts(connection)
  const wasThere = await writeAccounts(connection, [{ source, id }], [], (writes) =>
    writes.remove(source, id),
  )
  const lines = await connection.run('DELETE FROM account_journal WHERE session = $1', [
    accountKey(source, id),
  ])
  await connection.run(DROP_NAMES)
  return { accounts: Number(wasThere) + lines }
}
