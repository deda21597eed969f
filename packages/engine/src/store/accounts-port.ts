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
 * `since` is inclusive and `until` exclusive, in milliseconds. Rows without a time match only when no span is
 * given. A span selects agents by their last sign of life, claims and uses by their own time, and costs by
 * whole days in this computer's time zone: those that begin within the span. `–` matches rows without a name.
 */
export interface AccountFilter {
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly source?: string | undefined
  readonly project?: string | undefined
  /** A session id. When no session has exactly this id, it matches the beginning of an id. */
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
  /** This also selects agents that are still working. */
  readonly all?: boolean | undefined
}

export interface ClaimQuery extends AccountFilter, AccountPage {
  readonly model?: string | undefined
  readonly tier?: EvidenceTier | undefined
  readonly check?: ClaimCheck['verdict'] | undefined
  /** This selects only estimates: true those whose actual duration is known, false those whose is not. */
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
  /**
   * Limits the answer to the most expensive names, or to the newest days. Without a limit every row is
   * returned, but at most 10,000 sessions.
   */
  readonly limit?: number | undefined
}

/** Rows of a list, newest first. */
export interface Rows<T> {
  readonly total: number
  readonly rows: readonly T[]
}

/**
 * The uses of one skill in a span, summed up. Durations are those of an actual use, by nearest rank. When the
 * span holds over 10,000 uses of all skills together, the durations of the most used skills are within 9 % of
 * it, up to four hours.
 */
export interface SkillSum {
  readonly skill: string
  readonly uses: number
  readonly judged: number
  readonly successes: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** Uses at any time, within the filter's source and project. */
  readonly all_uses: number
  readonly last_used: number | null
}

export interface AccountTotals {
  readonly sessions: number
  readonly sessions_without_price: number
  readonly cost_micro_usd: number
  readonly cost_unknown: number
  readonly saved_micro_usd: number
  /**
   * Clients report this much as spent outside their transcripts. `outside_unknown` counts the sessions that
   * do not report it.
   */
  readonly outside_micro_usd: number
  readonly outside_unknown: number
  readonly agents: number
  readonly marked: number
  readonly functional: number
  readonly claims: number
  /** Claims with a known result, without estimates, and how many of them turned out false. */
  readonly claims_checked: number
  readonly claims_failed: number
  readonly followups: number
}

/** Holds what the store knows about an account without reading its rows. */
export interface AccountFingerprint {
  readonly id: string
  readonly fingerprint: string
  readonly from: Account['from']
}

/** One line that was written to a journal. When its text changes, the line has to be written again. */
export interface JournalLine {
  readonly journal: 'agents' | 'claims'
  /** Source, session, and the part that tells lines of one session apart. */
  readonly source: string
  readonly session_id: string
  readonly line: string
  /** A digest of the line as it was written. */
  readonly mark: string
}

/**
 * The outcomes and costs of sessions. They are not part of the log: they stay when a session disappears from
 * its source or retention cuts the log. Sums are updated with every change, so that no query takes longer
 * because the history is longer. No method throws.
 */
export interface Accounts {
  /** Returns the fingerprints of one source, by session. */
  fingerprints(source: string): Promise<Result<ReadonlyMap<string, AccountFingerprint>>>
  /**
   * Replaces the account of each given session; either all are stored or none. `marks` commit with them.
   * Appends wait meanwhile, about a millisecond per account, so put many accounts in several calls.
   */
  put(accounts: readonly Account[], marks?: Readonly<Record<string, string>>): Promise<Result<null>>
  /** Returns one complete account, or null when the session has none. */
  get(session: SessionRef): Promise<Result<Account | null>>
  agents(query: AgentAccountQuery): Promise<Result<Rows<AgentAccount>>>
  claims(query: ClaimQuery): Promise<Result<Rows<Claim>>>
  skillUses(query: SkillUseQuery): Promise<Result<Rows<SkillUse>>>
  /** Lists follow-ups and flagged items of agents that finished their work. */
  followUps(query: AccountFilter & AccountPage): Promise<Result<Rows<FollowUp>>>
  flagged(query: AccountFilter & AccountPage): Promise<Result<Rows<FlaggedAgent>>>
  /** Lists skills, the most used first, including those that were used only outside the span. */
  skills(filter: AccountFilter): Promise<Result<readonly SkillSum[]>>
  /**
   * Days come in order; every other grouping lists the most expensive first. `agent` groups by kind of agent
   * (`main` is the session's own), `session` rows are named `source/session`, and `–` stands for a missing
   * name. A session counts once in every row.
   */
  costs(query: CostQuery): Promise<Result<readonly CostRow[]>>
  /** Counts agents that finished their work, by kind. The most frequent kinds come first. */
  outcomes(filter: AccountFilter): Promise<Result<readonly OutcomeRow[]>>
  /** Totals over the same agents, and over the sessions with activity on a day of the span. */
  totals(filter: AccountFilter): Promise<Result<AccountTotals>>
  /** Returns the lines that were written to the journals of the given sessions. */
  journaled(sessions: readonly SessionRef[]): Promise<Result<readonly JournalLine[]>>
  journal(lines: readonly JournalLine[]): Promise<Result<null>>
}
