import { DROP_NAMES } from '../../accounts/used-names.ts'
import type { Forgetter } from '../forget.ts'
import { keyOf } from './load.ts'
import { lockAccounts, writeAccounts } from './put.ts'

/** What a session amounted to goes whole, out of every sum too, with the names that nothing else has. */
export const forgetAccount: Forgetter = async (connection, { source, id }) => {
  await lockAccounts(connection)
  const wasThere = await writeAccounts(connection, [{ source, id }], [], (writes) =>
    writes.remove(source, id),
  )
  const lines = await connection.run('DELETE FROM account_journal WHERE session = $1', [keyOf(source, id)])
  await connection.run(DROP_NAMES)
  return { accounts: Number(wasThere) + lines }
}
