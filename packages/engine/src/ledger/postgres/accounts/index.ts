import type { Account, Result } from '@panoptes/schema'
import type { Asking } from '../../accounts/asking.ts'
import { agentRows, claimRows, flaggedRows, followUpRows, useRows } from '../../accounts/rows.ts'
import { readRows, shownFlagged } from '../../accounts/shown.ts'
import { skillsOf } from '../../accounts/skills.ts'
import { outcomesOf, totalsOf } from '../../accounts/totals.ts'
import { wholeOf } from '../../accounts/whole.ts'
import type { Accounts, JournalLine, KnownAccount } from '../../accounts-port.ts'
import { type ForgottenSessions, forgottenHash } from '../../forgotten-sessions.ts'
import type { Connection, Database } from '../database.ts'
import { costRows } from './costs.ts'
import { answer, postgres } from './dialect.ts'
import { journalOf, writeJournal } from './journal.ts'
import { lockAccounts, namesIn, writeAccounts } from './put.ts'

export { forgetAccount } from './forget.ts'
export { accountTables } from './tables.ts'

/** What is of a forgotten session is not stored. */
export function accountsOf(
  database: Database,
  forgotten: ForgottenSessions,
  told: <T>(work: () => Promise<T>) => Promise<Result<T>>,
): Accounts {
  /** All of an answer is of one moment. */
  const ask = <T>(asking: () => Asking<T>): Promise<Result<T>> =>
    told(() => database.snapshot((connection) => answer(connection, asking())))
  const change = (work: (connection: Connection) => Promise<void>): Promise<Result<null>> =>
    told(async () => {
      await database.transaction(work)
      return null
    })
  return {
    known: (source) => told(() => knownOf(database, source)),
    put: (accounts, marks = {}) =>
      change(async (connection) => {
        if (accounts.length > 0) await put(connection, forgotten, accounts)
        await mark(connection, marks)
      }),
    get: (session) => ask(() => wholeOf(postgres, session)),
    agents: async (query) => readRows(await ask(() => agentRows(postgres, query))),
    claims: async (query) => readRows(await ask(() => claimRows(postgres, query))),
    skillUses: async (query) => readRows(await ask(() => useRows(postgres, query))),
    followUps: async (query) => readRows(await ask(() => followUpRows(postgres, query))),
    flagged: async (query) => readRows(await ask(() => flaggedRows(postgres, query)), shownFlagged),
    skills: (filter) => ask(() => skillsOf(postgres, filter)),
    costs: (query) => ask(() => costRows(query)),
    outcomes: (filter) => ask(() => outcomesOf(postgres, filter)),
    totals: (filter) => ask(() => totalsOf(postgres, filter)),
    journaled: (sessions) => told(() => database.connected((connection) => journalOf(connection, sessions))),
    journal: (lines) =>
      change(async (connection) => {
        if (lines.length === 0) return
        await lockAccounts(connection)
        await writeJournal(connection, await remembered(connection, forgotten, lines))
      }),
  }
}

async function knownOf(database: Database, source: string): Promise<ReadonlyMap<string, KnownAccount>> {
  const rows = await database.rows(
    'SELECT session_id AS id, fingerprint, made_of AS "from" FROM accounts WHERE source = $1 ORDER BY session_id',
    [source],
  )
  return new Map((rows as readonly unknown[] as readonly KnownAccount[]).map((known) => [known.id, known]))
}

async function put(
  connection: Connection,
  forgotten: ForgottenSessions,
  accounts: readonly Account[],
): Promise<void> {
  const names = new Set(accounts.flatMap(namesIn))
  await lockAccounts(connection)
  const own = await remembered(connection, forgotten, accounts)
  const sessions = own.map(({ source, session_id: id }) => ({ source, id }))
  await writeAccounts(connection, sessions, names, (writes) => {
    for (const account of own) writes.put(account)
  })
}

/** What is of nobody who is forgotten; another process may have been told of them just now, and removes what is there under the same lock. */
async function remembered<E extends Account | JournalLine>(
  connection: Connection,
  forgotten: ForgottenSessions,
  all: readonly E[],
): Promise<readonly E[]> {
  const { key } = forgotten.all()
  const hash = ({ source, session_id }: E) => forgottenHash(key, source, session_id)
  const rows = await connection.rows('SELECT hash FROM forgotten WHERE hash = ANY($1)', [all.map(hash)])
  const hashes = new Set(rows.map((row) => String(row.hash)))
  const known = forgotten.without(all)
  return hashes.size === 0 ? known : known.filter((each) => !hashes.has(hash(each)))
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
