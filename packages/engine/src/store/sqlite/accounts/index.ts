import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { Account, OutcomeRow, SessionRef } from '@panoptes/schema'
import type { Texts } from '../../accounts/lists.ts'
import type { Asking } from '../../accounts/query-generator.ts'
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
import { inTransaction } from '../in-transaction.ts'
import { Statements } from '../statements.ts'
import type { AllCostText } from './cost-rows.ts'
import { queryCostText } from './costs.ts'
import { answer, sqlite } from './dialect.ts'
import { readJournal, writeJournal } from './journal.ts'
import { writeAccounts } from './store.ts'
import { readFingerprints } from './stored-accounts.ts'

export { dropNames, forgetAccount } from './forget.ts'

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
  const ask = <T>(asking: Asking<T>): T => at((of) => answer(of, asking))
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
