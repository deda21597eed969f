import type { Account, SessionRef } from '@panoptes/schema'
import { type TypedCell, typedCells } from '../../accounts/cost-facts.ts'
import { factsOf } from '../../accounts/facts.ts'
import { nameOf } from '../../accounts/names.ts'
import { type AccountDoc, AccountWrites } from '../../accounts/put.ts'
import type { Known } from '../../accounts/store.ts'
import type { Connection } from '../database.ts'
import { LOCKS } from '../locks.ts'
import { lastNumber, loadKnown, loadNames, loadRows } from './load.ts'
import { LoadedStore } from './store.ts'
import { writeDates, writeSums } from './sums.ts'
import { Together } from './together.ts'

/**
 * Whoever writes accounts of this ledger does so alone until the transaction ends: what is read before is what is changed, and sums
 * that many accounts share are never waited for in two orders.
 */
export async function lockAccounts(connection: Connection): Promise<void> {
  await connection.run('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [LOCKS.accounts])
}

/** Within a transaction that has the lock: accounts in and out, with the sums of them all written once at the end. */
export async function writeAccounts<T>(
  connection: Connection,
  sessions: readonly SessionRef[],
  names: Iterable<string>,
  work: (writes: AccountWrites) => T,
): Promise<T> {
  const known = await loadKnown(connection, sessions)
  const all = new Set(names)
  for (const { source } of sessions) all.add(source)
  for (const name of [...known.values()].flatMap(namesOfKnown)) all.add(name)
  const store = new LoadedStore({
    known,
    rows: await loadRows(
      connection,
      [...known.values()].map(({ number }) => number),
    ),
    names: await loadNames(connection, all),
    last: await lastNumber(connection),
  })
  const writes = new AccountWrites(store)
  const done = work(writes)
  const together = new Together(connection)
  await store.write(together)
  for (const sums of writes.sums) await writeSums(together, sums)
  await writeDates(together, writes.dates)
  await together.send()
  return done
}

/** Every name that an account's rows and costs are told apart by. */
export const namesIn = (account: Account): readonly string[] => [
  nameOf(account.project),
  ...Object.values(factsOf(account))
    .flat()
    .flatMap(({ project, kinds }) => [project, ...kinds.filter((kind) => typeof kind === 'string')]),
  ...namesOfCells(typedCells(account)),
]

const namesOfCells = (cells: readonly TypedCell[]): readonly string[] =>
  cells.flatMap(({ cell, type }) => [type, nameOf(cell.model), nameOf(cell.skill)])

function namesOfKnown({ doc }: Known): readonly string[] {
  const { project, cells } = JSON.parse(doc) as AccountDoc
  return [nameOf(project), ...namesOfCells(cells)]
}
