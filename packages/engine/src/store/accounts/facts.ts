import type { Account, AgentAccount, Claim, FollowUp, SkillUse } from '@panoptes/schema'
import { toBucket } from '../projections/durations.ts'
import { nameOrUnknown } from './names.ts'

/** One row of an account: its time, project and kinds. The store replaces words by numbers. */
export interface Fact {
  readonly at: number | null
  readonly project: string
  readonly kinds: readonly (string | number)[]
  readonly doc: object
}

/** The columns that distinguish the rows of a table, in the order of `Fact.kinds`. */
export const KINDS = {
  agents: ['type', 'model', 'outcome', 'flagged', 'finished'],
  claims: ['model', 'tier', 'verdict', 'measured'],
  followups: [],
  uses: ['skill', 'success', 'class'],
} as const

export type RowKind = keyof typeof KINDS
export const ROW_KINDS = Object.keys(KINDS) as readonly RowKind[]

/** The most rows of one kind that one account can have, since they are numbered consecutively. */
export const PLACES = 2 ** 24

/** Tells how a claim compares with the duration that was measured. */
export const MEASURED = { none: 0, open: 1, done: 2 } as const
const OPEN_USE = 2
export const successCode = (success: boolean | null): number =>
  success === null ? OPEN_USE : Number(success)
/** The class of a use whose duration is unknown. */
export const NO_CLASS = -1

const MAIN = 'main'

/** The name of a kind of agent. The session's own agent has no type. */
export const agentType = ({
  agent_id,
  subagent_type,
}: Pick<AgentAccount, 'agent_id' | 'subagent_type'>): string =>
  agent_id === MAIN ? MAIN : nameOrUnknown(subagent_type)

export const accountFacts = (account: Account): Readonly<Record<RowKind, readonly Fact[]>> => ({
  agents: account.agents.map(agentFact),
  claims: account.claims.map(claimFact),
  followups: account.agents.flatMap((agent) => followUpFacts(agent, account.last_at)),
  uses: account.skills.map(useFact),
})

const agentFact = (agent: AgentAccount): Fact => ({
  at: agent.last_at,
  project: nameOrUnknown(agent.project),
  kinds: [
    agentType(agent),
    nameOrUnknown(agent.model),
    agent.outcome ?? 'none',
    Number(agent.flags.length > 0),
    Number(agent.finished),
  ],
  doc: agent,
})

const claimFact = (claim: Claim): Fact => ({
  at: claim.ts,
  project: nameOrUnknown(claim.project),
  kinds: [nameOrUnknown(claim.model), claim.evidence_tier, claim.check.verdict, measurementCode(claim)],
  doc: claim,
})

const measurementCode = ({ estimate }: Claim): number =>
  estimate === null ? MEASURED.none : estimate.took === null ? MEASURED.open : MEASURED.done

const useFact = (use: SkillUse): Fact => ({
  at: use.ts,
  project: nameOrUnknown(use.project),
  kinds: [
    nameOrUnknown(use.skill),
    successCode(use.success),
    use.duration_ms === null ? NO_CLASS : toBucket(use.duration_ms),
  ],
  doc: use,
})

function followUpFacts(agent: AgentAccount, ended: number | null): Fact[] {
  if (!agent.finished || agent.status === null) return []
  const { source, session_id, agent_id, subagent_type, project, said_at: evidence } = agent
  const at = agent.last_at ?? agent.started_at ?? ended
  const about = { source, session_id, agent_id, subagent_type, project, ts: at ?? 0 }
  return agent.status.follow_ups.map((text) => {
    const doc: FollowUp = { ...about, text, evidence }
    return { at, project: nameOrUnknown(project), kinds: [], doc }
  })
}
