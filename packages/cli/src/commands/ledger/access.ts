import type {
  BudgetState,
  CalibrationReply,
  CostRow,
  FollowUpsReply,
  LedgerAgentsReply,
  LedgerClaimsReply,
  LedgerSkillsReply,
  OutcomeRow,
  RecordSkillInput,
  RecordSkillReply,
  SkillReviewReply,
  SkillUsesReply,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { ofDaemon } from './of-daemon.ts'
import { withFiles } from './of-files.ts'

/** A query as URL parameters. */
export type QueryParams = Readonly<Record<string, string | number | boolean | undefined>>

/** Access to outcomes, skills and claims: through the running daemon, or in this process if none is running. */
export interface LedgerAccess {
  readonly agents: (query: QueryParams) => Promise<LedgerAgentsReply>
  readonly claims: (query: QueryParams) => Promise<LedgerClaimsReply>
  readonly skillUses: (query: QueryParams) => Promise<SkillUsesReply>
  readonly skills: (query: QueryParams) => Promise<LedgerSkillsReply>
  readonly costs: (query: QueryParams) => Promise<readonly CostRow[]>
  readonly outcomes: (query: QueryParams) => Promise<readonly OutcomeRow[]>
  readonly calibration: (query: QueryParams) => Promise<CalibrationReply>
  readonly followUps: (query: QueryParams) => Promise<FollowUpsReply>
  readonly budgets: () => Promise<readonly BudgetState[]>
  readonly reviewSkills: (order: {
    readonly apply: boolean
    readonly undo: boolean
  }) => Promise<SkillReviewReply>
  readonly recordSkill: (use: RecordSkillInput) => Promise<RecordSkillReply>
}

export async function withStore<T>(context: Context, work: (store: LedgerAccess) => Promise<T>): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(ofDaemon(client)) : withFiles(context, work)
}
