import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/threads'
import type { Account, CostRow, OutcomeRow, SessionRef } from '@panoptes/schema'
import type {
  AccountFilter,
  AccountPage,
  AccountTotals,
  AgentAccountQuery,
  ClaimQuery,
  CostQuery,
  JournalLine,
  KnownAccount,
  SkillSum,
  SkillUseQuery,
} from '../../accounts-port.ts'
import { inTransaction } from '../in-transaction.ts'
import { Statements } from '../statements.ts'
import { costsOf } from './costs.ts'
import { journalOf, writeJournal } from './journal.ts'
import type { Texts } from './lists.ts'
import { AccountWrites } from './put.ts'
import { agentRows, claimRows, flaggedRows, followUpRows, useRows } from './rows.ts'
import { skillsOf } from './skills.ts'
import { outcomesOf, totalsOf } from './totals.ts'
import { knownOf, wholeOf } from './whole.ts'

export { dropNames, forgetAccount } from './forget.ts'
export type { Texts } from './lists.ts'

export interface AccountCalls {
  putAccounts(accounts: readonly Account[], marks: Readonly<Record<string, string>>): null
  journalLines(lines: readonly JournalLine[]): null
}

export interface AccountReads {
  knownAccounts(source: string): readonly KnownAccount[]
  account(session: SessionRef): Account | null
  accountAgents(query: AgentAccountQuery): Texts
  accountClaims(query: ClaimQuery): Texts
  accountUses(query: SkillUseQuery): Texts
  followUps(query: AccountFilter & AccountPage): Texts
  flaggedAgents(query: AccountFilter & AccountPage): Texts
  accountSkills(filter: AccountFilter): readonly SkillSum[]
  accountCosts(query: CostQuery): readonly CostRow[]
  outcomes(filter: AccountFilter): readonly OutcomeRow[]
  accountTotals(filter: AccountFilter): AccountTotals
  journaled(sessions: readonly SessionRef[]): readonly JournalLine[]
}

const MARK = 'INSERT INTO marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'

export const accountWrites = (db: () => DatabaseSync): Handlers<AccountCalls> => {
  const statements = kept(db)
  return {
    putAccounts: (_job, accounts, marks) => {
      inTransaction(db(), () => {
        const writes = new AccountWrites(statements())
        for (const account of accounts) writes.put(account)
        writes.finish()
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
  const statements = kept(db)
  /** All of an answer is of one moment. */
  const ask = <T>(query: (statements: Statements) => T): T => {
    db().exec('BEGIN')
    try {
      return query(statements())
    } finally {
      db().exec('COMMIT')
    }
  }
  return {
    knownAccounts: (job, source) => ask((of) => knownOf(of, source, job.part)),
    account: (_job, session) => ask((of) => wholeOf(of, session)),
    accountAgents: (_job, query) => ask((of) => agentRows(of, query)),
    accountClaims: (_job, query) => ask((of) => claimRows(of, query)),
    accountUses: (_job, query) => ask((of) => useRows(of, query)),
    followUps: (_job, query) => ask((of) => followUpRows(of, query)),
    flaggedAgents: (_job, query) => ask((of) => flaggedRows(of, query)),
    accountSkills: (_job, filter) => ask((of) => skillsOf(of, filter)),
    accountCosts: (_job, query) => ask((of) => costsOf(of, query)),
    outcomes: (_job, filter) => ask((of) => outcomesOf(of, filter)),
    accountTotals: (_job, filter) => ask((of) => totalsOf(of, filter)),
    journaled: (_job, sessions) => ask((of) => journalOf(of, sessions)),
  }
}

/** Statements are prepared once for the one connection. */
function kept(db: () => DatabaseSync): () => Statements {
  let statements: Statements | undefined
  return () => {
    statements ??= new Statements(db())
    return statements
  }
}
