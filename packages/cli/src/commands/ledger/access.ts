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

/** A query as it is written into an address. */
export type Asked = Readonly<Record<string, string | number | boolean | undefined>>

/** What agents, skills and claims amounted to, asked of the running daemon, or seen to here when none runs. */
export interface LedgerAccess {
  readonly agents: (query: Asked) => Promise<LedgerAgentsReply>
  readonly claims: (query: Asked) => Promise<LedgerClaimsReply>
  readonly skillUses: (query: Asked) => Promise<SkillUsesReply>
  readonly skills: (query: Asked) => Promise<LedgerSkillsReply>
  readonly costs: (query: Asked) => Promise<readonly CostRow[]>
  readonly outcomes: (query: Asked) => Promise<readonly OutcomeRow[]>
  readonly calibration: (query: Asked) => Promise<CalibrationReply>
  readonly followUps: (query: Asked) => Promise<FollowUpsReply>
  readonly budgets: () => Promise<readonly BudgetState[]>
  readonly reviewSkills: (order: {
    readonly apply: boolean
    readonly undo: boolean
  }) => Promise<SkillReviewReply>
  readonly recordSkill: (use: RecordSkillInput) => Promise<RecordSkillReply>
}

export async function withLedger<T>(
  context: Context,
  work: (ledger: LedgerAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(ofDaemon(client)) : withFiles(context, work)
}
