import type { Account, CostRow, Result } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import { type CostSums, orderCostRows, queryCosts } from '../../accounts/costs.ts'
import { type QueryGenerator, queryRows } from '../../accounts/dialect.ts'
import { DROP_NAMES } from '../../accounts/names.ts'
import { outsideRows, withOutside } from '../../accounts/outside-costs.ts'
import {
  agentRows,
  claimRows,
  flaggedRows,
  followUpRows,
  readRows,
  toFlaggedAgent,
  useRows,
} from '../../accounts/rows.ts'
import { querySkills } from '../../accounts/skills.ts'
import { queryAccount } from '../../accounts/stored-account.ts'
import { queryOutcomes, queryTotals } from '../../accounts/totals.ts'
import type { AccountFingerprint, Accounts, CostQuery, JournalLine } from '../../accounts-port.ts'
import { type ForgottenSessions, forgottenHash } from '../../forgotten-sessions.ts'
import type { Connection, Database } from '../database.ts'
import type { Forgetter } from '../forget.ts'
import { listNames, lockAccounts, writeAccounts } from './account-writes.ts'
import { answer, postgres } from './dialect.ts'
import { readJournal, writeJournal } from './journal.ts'
import { accountKey } from './load.ts'

export { accountTables } from './tables.ts'

/** Skips everything that belongs to a forgotten session. */
export function createAccounts(
  database: Database,
  forgotten: ForgottenSessions,
  run: <T>(work: () => Promise<T>) => Promise<Result<T>>,
): Accounts {
  /** Reads a whole answer from one snapshot. */
  const ask = <T>(asking: () => QueryGenerator<T>): Promise<Result<T>> =>
    run(() => database.snapshot((connection) => answer(connection, asking())))
  const change = (work: (connection: Connection) => Promise<void>): Promise<Result<null>> =>
    run(async () => {
      await database.transaction(work)
      return null
    })
  return {
    fingerprints: (source) => run(() => readFingerprints(database, source)),
    put: (accounts, marks = {}) =>
      change(async (connection) => {
        if (accounts.length > 0) await put(connection, forgotten, accounts)
        await mark(connection, marks)
      }),
    get: (session) => ask(() => queryAccount(postgres, session)),
    agents: async (query) => readRows(await ask(() => agentRows(postgres, query))),
    claims: async (query) => readRows(await ask(() => claimRows(postgres, query))),
    skillUses: async (query) => readRows(await ask(() => useRows(postgres, query))),
    followUps: async (query) => readRows(await ask(() => followUpRows(postgres, query))),
    flagged: async (query) => readRows(await ask(() => flaggedRows(postgres, query)), toFlaggedAgent),
    skills: (filter) => ask(() => querySkills(postgres, filter)),
    costs: (query) => ask(() => costRows(query)),
    outcomes: (filter) => ask(() => queryOutcomes(postgres, filter)),
    totals: (filter) => ask(() => queryTotals(postgres, filter)),
    journaled: (sessions) =>
      run(() => database.withConnection((connection) => readJournal(connection, sessions))),
    journal: (lines) =>
      change(async (connection) => {
        if (lines.length === 0) return
        await lockAccounts(connection)
        await writeJournal(connection, await dropForgotten(connection, forgotten, lines))
      }),
  }
}

async function readFingerprints(
  database: Database,
  source: string,
): Promise<ReadonlyMap<string, AccountFingerprint>> {
  const rows = await database.rows(
    'SELECT session_id AS id, fingerprint, made_of AS "from" FROM accounts WHERE source = $1 ORDER BY session_id',
    [source],
  )
  return new Map((rows as readonly unknown[] as readonly AccountFingerprint[]).map((row) => [row.id, row]))
}

async function put(
  connection: Connection,
  forgotten: ForgottenSessions,
  accounts: readonly Account[],
): Promise<void> {
  const names = new Set(accounts.flatMap(listNames))
  await lockAccounts(connection)
  const own = await dropForgotten(connection, forgotten, accounts)
  const sessions = own.map(({ source, session_id: id }) => ({ source, id }))
  await writeAccounts(connection, sessions, names, (writes) => {
    for (const account of own) writes.put(account)
  })
}

/**
 * Filters out forgotten sessions. Another process may have begun to forget one just now; it removes stored
 * rows under the same lock.
 */
async function dropForgotten<E extends Account | JournalLine>(
  connection: Connection,
  forgotten: ForgottenSessions,
  all: readonly E[],
): Promise<readonly E[]> {
  const { key } = forgotten.all()
  const hash = ({ source, session_id }: E) => forgottenHash(key, source, session_id)
  const rows = await connection.rows('SELECT hash FROM forgotten WHERE hash = ANY($1)', [all.map(hash)])
  const hashes = new Set(rows.map((row) => String(row.hash)))
  const allowed = forgotten.dropForgotten(all)
  return hashes.size === 0 ? allowed : allowed.filter((each) => !hashes.has(hash(each)))
}

async function mark(connection: Connection, marks: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(marks).sort()
  if (names.length === 0) return
  await connection.run(
    `INSERT INTO marks (name, value) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [names, names.map((name) => marks[name])],
  )
}

function* costRows(query: CostQuery): QueryGenerator<readonly CostRow[]> {
  const rows = yield* queryCosts(postgres, query, sumCosts, (found) => found)
  return orderCostRows(withOutside(rows, yield* outsideRows(postgres, query)), query)
}

function* sumCosts({
  rows: { sql, values },
  isByDay,
  isByModel,
}: CostSums): QueryGenerator<readonly CostRow[]> {
  const named = (column: string) =>
    `LEFT JOIN account_names AS ${column}_name ON ${column}_name.id = g.${column}`
  const rows = yield* queryRows(
    `SELECT ${isByDay ? 'g.name' : 'name_name.name'} AS name, ${isByModel ? 'model_name.name' : 'NULL'} AS model,
       NULL AS source, sessions, ${SPENT.join(', ')}
     FROM (${sql}) AS g ${isByDay ? '' : named('name')} ${isByModel ? named('model') : ''}`,
    values,
  )
  return rows as readonly unknown[] as readonly CostRow[]
}

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
