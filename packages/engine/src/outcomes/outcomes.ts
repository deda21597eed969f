import type {
  AccountFilter,
  AccountPage,
  AgentAccountQuery,
  ClaimQuery,
  CostQuery,
  SkillUseQuery,
} from '@panoptes/engine/store'
import type {
  BudgetState,
  CalibrationReply,
  CostRow,
  FollowUpsReply,
  LedgerAgentsReply,
  LedgerClaimsReply,
  LedgerOverview,
  LedgerSkillsReply,
  OutcomeRow,
  RecordSkillInput,
  RecordSkillReply,
  Result,
  SessionRef,
  SkillReviewReply,
  SkillUsesReply,
} from '@panoptes/schema'

/** The outcomes of agents, tools, skills and claims over every session. No method throws. */
export interface Review {
  readonly overview: (filter: AccountFilter) => Promise<Result<LedgerOverview>>
  readonly agents: (query: AgentAccountQuery) => Promise<Result<LedgerAgentsReply>>
  readonly claims: (query: ClaimQuery) => Promise<Result<LedgerClaimsReply>>
  readonly skillUses: (query: SkillUseQuery) => Promise<Result<SkillUsesReply>>
  /** Every skill that was used or has a folder here, with its verdict. */
  readonly skills: () => Promise<Result<LedgerSkillsReply>>
  /**
   * Returns the changes that the verdicts ask for, and makes them only with `apply`. `undo` takes
   * back the last ones.
   */
  readonly reviewSkills: (order: {
    readonly apply: boolean
    readonly undo: boolean
  }) => Promise<Result<SkillReviewReply>>
  readonly recordSkill: (use: RecordSkillInput) => Promise<Result<RecordSkillReply>>
  readonly costs: (query: CostQuery) => Promise<Result<readonly CostRow[]>>
  readonly outcomes: (filter: AccountFilter) => Promise<Result<readonly OutcomeRow[]>>
  readonly calibration: (filter: AccountFilter) => Promise<Result<CalibrationReply>>
  readonly followUps: (query: AccountFilter & AccountPage) => Promise<Result<FollowUpsReply>>
  readonly budgets: () => Promise<Result<readonly BudgetState[]>>
  /** How much of the history has been read. */
  readonly reading: () => LedgerOverview['reading']
  /** Reads changes and resolves when that is done. */
  readonly refresh: (signal?: AbortSignal) => Promise<Result<null>>
  /** Starts watching for changes; returns the function that stops it. */
  readonly follow: () => () => void
  /** Removes what is outside the event store, which is the journal lines. Returns how many. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
  readonly close: () => Promise<void>
}
