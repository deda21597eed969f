import type {
  Account,
  AgentAccount,
  Claim,
  ClaimCheck,
  CostGroup,
  CostRow,
  EvidenceTier,
  FlaggedAgent,
  FollowUp,
  OutcomeOrNone,
  OutcomeRow,
  Result,
  SessionRef,
  SkillUse,
} from '@panoptes/schema'

/**
 * Inclusive and exclusive, milliseconds. Rows without a time are found only without a span. A span selects agents by their last sign,
 * claims and uses by their time, and costs by whole days of this computer's clock: those that begin within it. `–` finds what has no name.
 */
export interface AccountFilter {
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly source?: string | undefined
  readonly project?: string | undefined
  /** Its id; where nothing is of that, the beginning of an id. */
  readonly session?: string | undefined
}

export interface AccountPage {
  readonly limit: number
  readonly offset?: number | undefined
}

export interface AgentAccountQuery extends AccountFilter, AccountPage {
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly type?: string | undefined
  readonly outcome?: OutcomeOrNone | undefined
  readonly flagged?: boolean | undefined
  /** Also those that are still at work. */
  readonly all?: boolean | undefined
}

export interface ClaimQuery extends AccountFilter, AccountPage {
  readonly model?: string | undefined
  readonly tier?: EvidenceTier | undefined
  readonly check?: ClaimCheck['verdict'] | undefined
  /** Only estimates: those of which it is known what it took, or is not. */
  readonly measured?: boolean | undefined
}

export interface SkillUseQuery extends AccountFilter, AccountPage {
  readonly skill?: string | undefined
  readonly success?: boolean | undefined
}

export interface CostQuery extends AccountFilter {
  readonly model?: string | undefined
  readonly by: CostGroup
  readonly splitByModel?: boolean | undefined
  /** The most costly names only, or the newest days; all without it, but of sessions at most 10,000. */
  readonly limit?: number | undefined
}

/** The newest first. */
export interface Rows<T> {
  readonly total: number
  readonly rows: readonly T[]
}

/**
 * Uses of one skill in a span, added up. Times are those of a use, by nearest rank; where skills have over 10,000 uses in the span
 * together, those of the most used ones are within 9 % of it, up to four hours.
 */
export interface SkillSum {
  readonly skill: string
  readonly uses: number
  readonly judged: number
  readonly successes: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** Of any time, in the filter's source and project. */
  readonly all_uses: number
  readonly last_used: number | null
}

export interface AccountTotals {
  readonly sessions: number
  readonly sessions_without_price: number
  readonly cost_micro_usd: number
  readonly cost_unknown: number
  readonly saved_micro_usd: number
  readonly agents: number
  readonly marked: number
  readonly functional: number
  readonly claims: number
  /** Those with a known end that are no estimates, and those of them that did not hold. */
  readonly claims_checked: number
  readonly claims_failed: number
  readonly followups: number
}

/** What is known of an account without its rows. */
export interface KnownAccount {
  readonly id: string
  readonly fingerprint: string
  readonly from: Account['from']
}

/** One line of a journal that was written: another text means that it has to be written anew. */
export interface JournalLine {
  readonly journal: 'agents' | 'claims'
  /** Source, session and whatever tells one of its lines from another. */
  readonly source: string
  readonly session_id: string
  readonly line: string
  /** A digest of what was written. */
  readonly mark: string
}

/**
 * What sessions amounted to. It is no part of the log: it stays when a session is gone from its source or retention cut the log, and
 * what it adds up to is kept with every change, so that no answer takes longer because the history is longer. No method throws.
 */
export interface Accounts {
  /** Of a source, by session. */
  known(source: string): Promise<Result<ReadonlyMap<string, KnownAccount>>>
  /**
   * Each takes the place of what was known of its session; all of them or none. `marks` commit with them. Appends wait meanwhile, about
   * a millisecond for each account: many are better put some at a time.
   */
  put(accounts: readonly Account[], marks?: Readonly<Record<string, string>>): Promise<Result<null>>
  /** One whole; null where nothing is known. */
  get(session: SessionRef): Promise<Result<Account | null>>
  agents(query: AgentAccountQuery): Promise<Result<Rows<AgentAccount>>>
  claims(query: ClaimQuery): Promise<Result<Rows<Claim>>>
  skillUses(query: SkillUseQuery): Promise<Result<Rows<SkillUse>>>
  /** Of agents that are through with their work, as is what is flagged. */
  followUps(query: AccountFilter & AccountPage): Promise<Result<Rows<FollowUp>>>
  flagged(query: AccountFilter & AccountPage): Promise<Result<Rows<FlaggedAgent>>>
  /** Those used most first; also those that were used at another time only. */
  skills(filter: AccountFilter): Promise<Result<readonly SkillSum[]>>
  /**
   * Days in order; everything else the most costly first. `agent` is the kind of agent (`main` for the session's own), `session` is
   * named `source/session`, and `–` is what has no name. A session counts once in every row.
   */
  costs(query: CostQuery): Promise<Result<readonly CostRow[]>>
  /** Of agents that are through with their work; the kinds with most of them first. */
  outcomes(filter: AccountFilter): Promise<Result<readonly OutcomeRow[]>>
  /** The same agents; and the sessions of which something is known on a day of the span. */
  totals(filter: AccountFilter): Promise<Result<AccountTotals>>
  /** What was written into the journals of a session. */
  journaled(sessions: readonly SessionRef[]): Promise<Result<readonly JournalLine[]>>
  journal(lines: readonly JournalLine[]): Promise<Result<null>>
}
