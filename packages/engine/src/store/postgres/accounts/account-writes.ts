import type { Account, SessionRef } from '@panoptes/schema'
import type { Deltas } from '../../accounts/account-writes.ts'
import { type AccountDoc, AccountWrites } from '../../accounts/account-writes.ts'
import { addAgentTypes, type TypedCell } from '../../accounts/cost-facts.ts'
import { accountFacts } from '../../accounts/facts.ts'
import { ANY, nameOrUnknown } from '../../accounts/names.ts'
import type { SkillDates } from '../../accounts/skills.ts'
import type { AccountRow } from '../../accounts/store.ts'
import type { Connection } from '../database.ts'
import { LOCKS } from '../locks.ts'
import { type Column, dropAll, putAll } from './bulk.ts'
import { lastNumber, loadAccounts, loadNames, loadRows } from './load.ts'
import { Together, type Writes } from './statement-pipeline.ts'
import { LoadedStore } from './store.ts'

/**
 * Takes the lock for writing accounts of this store until the transaction ends. So the data that was read is
 * still what is changed, and transactions never wait for shared sums in different orders.
 */
export async function lockAccounts(connection: Connection): Promise<void> {
  await connection.run('SELECT pg_advisory_xact_lock($1, hashtext(current_schema()))', [LOCKS.accounts])
}

/**
 * Adds and removes accounts within a transaction that holds the lock, and writes all sums once at the end.
 */
export async function writeAccounts<T>(
  connection: Connection,
  sessions: readonly SessionRef[],
  names: Iterable<string>,
  work: (writes: AccountWrites) => T,
): Promise<T> {
  const accounts = await loadAccounts(connection, sessions)
  const all = new Set(names)
  for (const { source } of sessions) all.add(source)
  for (const name of [...accounts.values()].flatMap(listStoredNames)) all.add(name)
  const store = new LoadedStore({
    accounts,
    rows: await loadRows(
      connection,
      [...accounts.values()].map(({ number }) => number),
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

/** Returns every name that an account's rows and costs refer to. */
export const listNames = (account: Account): readonly string[] => [
  nameOrUnknown(account.project),
  ...Object.values(accountFacts(account))
    .flat()
    .flatMap(({ project, kinds }) => [project, ...kinds.filter((kind) => typeof kind === 'string')]),
  ...listCellNames(addAgentTypes(account)),
  ...(account.outside?.models ?? []).map(({ model }) => nameOrUnknown(model)),
]

const listCellNames = (cells: readonly TypedCell[]): readonly string[] =>
  cells.flatMap(({ cell, type }) => [type, nameOrUnknown(cell.model), nameOrUnknown(cell.skill)])

function listStoredNames({ doc }: AccountRow): readonly string[] {
  const { project, cells, outside } = JSON.parse(doc) as AccountDoc
  const models = (outside?.models ?? []).map(({ model }) => nameOrUnknown(model))
  return [nameOrUnknown(project), ...listCellNames(cells), ...models]
}

const isText = (table: string, column: string): boolean =>
  table === 'account_cost_sums' && ['kind', 'day', 'prev'].includes(column)

async function writeSums(writes: Writes, sums: Deltas): Promise<void> {
  const { table, counts, amounts } = sums
  const key = sums.key.map((name): Column => [name, isText(table, name) ? 'text' : 'integer'])
  const added = amounts.map((name): Column => [name, counts.includes(name) ? 'bigint' : 'double precision'])
  const changes = [...sums.changes()]
  const put = changes.map((change) => [...change.key, ...change.amounts])
  const add = amounts.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  const change = `ON CONFLICT (${sums.key.join(', ')}) DO UPDATE SET ${add.join(', ')}`
  await putAll(writes, table, [...key, ...added], put, change)
  const less = changes.flatMap((each) => (each.isLess ? [each.key] : []))
  const isNone = counts.map((name) => ` AND t.${name} = 0`).join('')
  await dropAll(writes, table, key, less, isNone)
}

const KEY: readonly Column[] = [
  ['source', 'integer'],
  ['project', 'integer'],
  ['skill', 'integer'],
]

/** Updates when each skill was last used, after its rows are written. */
async function writeDates(writes: Writes, dates: SkillDates): Promise<void> {
  const changes = dates.changes()
  const gone = changes.flatMap(({ key, isGone }) => (isGone ? [key] : []))
  if (gone.length > 0) {
    await dropAll(writes, 'account_skills', KEY, gone)
    await writes.run(
      `INSERT INTO account_skills (source, project, skill, last_used)
       SELECT k.source, k.project, k.skill, last.at
       FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS k (source, project, skill)
       CROSS JOIN LATERAL (
         SELECT at FROM account_uses WHERE skill = k.skill AND at IS NOT NULL
           AND (k.source = ${ANY} OR source = k.source) AND (k.project = ${ANY} OR project = k.project)
         ORDER BY at DESC LIMIT 1
       ) AS last`,
      [0, 1, 2].map((n) => gone.map((key) => key[n])),
    )
  }
  const seen = changes.flatMap(({ key, newest, isGone }) => (isGone ? [] : [[...key, newest]]))
  await putAll(
    writes,
    'account_skills',
    [...KEY, ['last_used', 'bigint']],
    seen,
    `ON CONFLICT (source, project, skill)
     DO UPDATE SET last_used = greatest(account_skills.last_used, excluded.last_used)`,
  )
}
