import type {
  AccountFilter,
  AccountPage,
  AgentAccountQuery,
  ClaimQuery,
  CostQuery,
  SkillUseQuery,
} from '@panoptes/engine/ledger'
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

/** What agents, tools, skills and claims amounted to, over every session there is. No method throws. */
export interface Review {
  readonly overview: (filter: AccountFilter) => Promise<Result<LedgerOverview>>
  readonly agents: (query: AgentAccountQuery) => Promise<Result<LedgerAgentsReply>>
  readonly claims: (query: ClaimQuery) => Promise<Result<LedgerClaimsReply>>
  readonly skillUses: (query: SkillUseQuery) => Promise<Result<SkillUsesReply>>
  /** Every skill that was used or has a folder here, with its verdict. */
  readonly skills: () => Promise<Result<LedgerSkillsReply>>
  /** What the verdicts ask for; it is done only with `apply`. `undo` takes back what was done last. */
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
  /** How far the history is read. */
  readonly reading: () => LedgerOverview['reading']
  /** Reads what changed, and answers when that is done. */
  readonly refresh: (signal?: AbortSignal) => Promise<Result<null>>
  /** From here on changes are seen by themselves. */
  readonly follow: () => () => void
  /** What is not in the ledger itself: lines of the journals. Answers how many went. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<number>>
  readonly close: () => Promise<void>
}
