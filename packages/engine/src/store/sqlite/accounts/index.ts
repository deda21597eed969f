import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { Account, OutcomeRow, SessionRef } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import { type CostSums, queryCosts } from '../../accounts/costs.ts'
import { type QueryGenerator, queryRow, queryRows } from '../../accounts/dialect.ts'
import type { Texts } from '../../accounts/lists.ts'
import { ANY, DROP_NAMES } from '../../accounts/names.ts'
import { outsideRows } from '../../accounts/outside-costs.ts'
import { agentRows, claimRows, flaggedRows, followUpRows, useRows } from '../../accounts/rows.ts'
import { querySkills } from '../../accounts/skills.ts'
import { queryAccount } from '../../accounts/stored-account.ts'
import { queryOutcomes, queryTotals } from '../../accounts/totals.ts'
import type {
  AccountFilter,
  AccountFingerprint,
  AccountPage,
  AccountTotals,
  AgentAccountQuery,
  ClaimQuery,
  CostQuery,
  JournalLine,
  SkillSum,
  SkillUseQuery,
} from '../../accounts-port.ts'
import { inTransaction, Statements } from '../statements.ts'
import { type AllCostText, type CostText, costText } from './cost-rows.ts'
import { answer, sqlite } from './dialect.ts'
import { writeAccounts } from './store.ts'

export interface AccountCalls {
  putAccounts(accounts: readonly Account[], marks: Readonly<Record<string, string>>): null
  journalLines(lines: readonly JournalLine[]): null
}

export interface AccountReads {
  knownAccounts(source: string): readonly AccountFingerprint[]
  account(session: SessionRef): Account | null
  accountAgents(query: AgentAccountQuery): Texts
  accountClaims(query: ClaimQuery): Texts
  accountUses(query: SkillUseQuery): Texts
  followUps(query: AccountFilter & AccountPage): Texts
  flaggedAgents(query: AccountFilter & AccountPage): Texts
  accountSkills(filter: AccountFilter): readonly SkillSum[]
  accountCosts(query: CostQuery): AllCostText
  outcomes(filter: AccountFilter): readonly OutcomeRow[]
  accountTotals(filter: AccountFilter): AccountTotals
  journaled(sessions: readonly SessionRef[]): readonly JournalLine[]
}

const MARK = 'INSERT INTO marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'

const A_PART = 1_000

export const accountWrites = (db: () => DatabaseSync): Handlers<AccountCalls> => {
  const statements = cachedStatements(db)
  return {
    putAccounts: (_job, accounts, marks) => {
      inTransaction(db(), () => {
        writeAccounts(statements(), (writes) => {
          for (const account of accounts) writes.put(account)
        })
        for (const [name, value] of Object.entries(marks)) statements().of(MARK).run(name, value)
      })
      return null
    },
    journalLines: (_job, lines) => {
      inTransaction(db(), () => writeJournal(statements(), lines))
      return null
    },
  }
}

export const accountReads = (db: () => DatabaseSync): Handlers<AccountReads> => {
  const statements = cachedStatements(db)
  /** Reads a whole answer from one snapshot. */
  const at = <T>(query: (statements: Statements) => T): T => {
    db().exec('BEGIN')
    try {
      return query(statements())
    } finally {
      db().exec('COMMIT')
    }
  }
  const ask = <T>(asking: QueryGenerator<T>): T => at((of) => answer(of, asking))
  return {
    knownAccounts: (job, source) => at((of) => readFingerprints(of, source, job.part)),
    account: (_job, session) => ask(queryAccount(sqlite, session)),
    accountAgents: (_job, query) => ask(agentRows(sqlite, query)),
    accountClaims: (_job, query) => ask(claimRows(sqlite, query)),
    accountUses: (_job, query) => ask(useRows(sqlite, query)),
    followUps: (_job, query) => ask(followUpRows(sqlite, query)),
    flaggedAgents: (_job, query) => ask(flaggedRows(sqlite, query)),
    accountSkills: (_job, filter) => ask(querySkills(sqlite, filter)),
    accountCosts: (_job, query) => ask(queryCostText(query)),
    outcomes: (_job, filter) => ask(queryOutcomes(sqlite, filter)),
    accountTotals: (_job, filter) => ask(queryTotals(sqlite, filter)),
    journaled: (_job, sessions) => at((of) => readJournal(of, sessions)),
  }
}

/** Prepares statements once for the one connection. */
function cachedStatements(db: () => DatabaseSync): () => Statements {
  let statements: Statements | undefined
  return () => {
    statements ??= new Statements(db())
    return statements
  }
}

function* queryCostText(query: CostQuery): QueryGenerator<AllCostText> {
  const text = yield* queryCosts(sqlite, query, sumCosts, costText)
  return { ...text, outside: yield* outsideRows(sqlite, query) }
}

function* sumCosts({ rows, isByDay, isByModel }: CostSums): QueryGenerator<CostText> {
  const fields = [
    isByDay ? 'g.name' : '(SELECT n.name FROM account_names AS n WHERE n.id = g.name)',
    'g.model',
    'NULL',
    ...['sessions', ...SPENT].map((field) => (isByDay ? field : exactly(field))),
  ]
  const found = yield* queryRow(
    `SELECT json_group_array(json_array(${fields.join(', ')})) AS rows FROM (${rows.sql}) AS g`,
    rows.values,
  )
  return { rows: String(found?.rows), models: isByModel ? yield* models() : new Map() }
}

function* models(): QueryGenerator<ReadonlyMap<number, string>> {
  const rows = yield* queryRows(
    `SELECT id, name FROM account_names WHERE id IN
       (SELECT model FROM account_cost_sums WHERE kind = 'total' AND source = ${ANY} AND project = ${ANY} AND day = '')`,
  )
  return new Map(rows.map((row) => [Number(row.id), String(row.name)]))
}

/** The text of a floating-point number may lose its last digits, so whole numbers are cast. */
const exactly = (field: string): string => `iif(${field} < 9e15, CAST(${field} AS INTEGER), ${field})`

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

function writeJournal(statements: Statements, lines: readonly JournalLine[]): void {
  const put = statements.of(
    `INSERT INTO account_journal (source, session_id, journal, line, mark) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (source, session_id, journal, line) DO UPDATE SET mark = excluded.mark`,
  )
  for (const { source, session_id, journal, line, mark } of lines)
    put.run(source, session_id, journal, line, mark)
}

function readJournal(statements: Statements, sessions: readonly SessionRef[]): readonly JournalLine[] {
  const find = statements.of(
    `SELECT journal, source, session_id, line, mark FROM account_journal
     WHERE source = ? AND session_id = ? ORDER BY journal, line`,
  )
  return sessions.flatMap(({ source, id }) => find.all(source, id) as unknown as JournalLine[])
}

/** Full parts of a long list are sent ahead through `part`; the answer contains the rest. */
function readFingerprints(
  statements: Statements,
  source: string,
  part: (batch: readonly AccountFingerprint[]) => void,
): readonly AccountFingerprint[] {
  let accounts: AccountFingerprint[] = []
  const rows = statements
    .of(
      'SELECT session_id AS id, fingerprint, made_of AS "from" FROM accounts WHERE source = ? ORDER BY session_id',
    )
    .iterate(source)
  for (const row of rows) {
    accounts.push({ ...row } as unknown as AccountFingerprint)
    if (accounts.length < A_PART) continue
    part(accounts)
    accounts = []
  }
  return accounts
}
