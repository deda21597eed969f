import type { Account, AgentAccount, Claim, FollowUp, SkillUse } from '@panoptes/schema'
import { classOf } from '../projections/durations.ts'
import { nameOf } from './names.ts'

/** One row of an account: when, in which project, of which kinds. Words become numbers where it is stored. */
export interface Fact {
  readonly at: number | null
  readonly project: string
  readonly kinds: readonly (string | number)[]
  readonly doc: object
}

/** The columns that tell rows of a table apart, in the order of `Fact.kinds`. */
export const KINDS = {
  agents: ['type', 'model', 'outcome', 'flagged', 'finished'],
  claims: ['model', 'tier', 'verdict', 'measured'],
  followups: [],
  uses: ['skill', 'success', 'class'],
} as const

export type RowKind = keyof typeof KINDS
export const ROW_KINDS = Object.keys(KINDS) as readonly RowKind[]

/** So many rows of one kind an account can have: those of one lie beside one another. */
export const PLACES = 2 ** 24

/** How a claim stands to what it took. */
export const MEASURED = { none: 0, open: 1, done: 2 } as const
const OPEN_USE = 2
export const successOf = (success: boolean | null): number => (success === null ? OPEN_USE : Number(success))
/** The class of a use whose time is not known. */
export const NO_CLASS = -1

const MAIN = 'main'

/** What a kind of agent is called: the session's own has no type. */
export const typeOf = ({
  agent_id,
  subagent_type,
}: Pick<AgentAccount, 'agent_id' | 'subagent_type'>): string =>
  agent_id === MAIN ? MAIN : nameOf(subagent_type)

export const factsOf = (account: Account): Readonly<Record<RowKind, readonly Fact[]>> => ({
  agents: account.agents.map(agentFact),
  claims: account.claims.map(claimFact),
  followups: account.agents.flatMap((agent) => followUpsOf(agent, account.last_at)),
  uses: account.skills.map(useFact),
})

const agentFact = (agent: AgentAccount): Fact => ({
  at: agent.last_at,
  project: nameOf(agent.project),
  kinds: [
    typeOf(agent),
    nameOf(agent.model),
    agent.outcome ?? 'none',
    Number(agent.flags.length > 0),
    Number(agent.finished),
  ],
  doc: agent,
})

const claimFact = (claim: Claim): Fact => ({
  at: claim.ts,
  project: nameOf(claim.project),
  kinds: [nameOf(claim.model), claim.evidence_tier, claim.check.verdict, measuredOf(claim)],
  doc: claim,
})

const measuredOf = ({ estimate }: Claim): number =>
  estimate === null ? MEASURED.none : estimate.took === null ? MEASURED.open : MEASURED.done

const useFact = (use: SkillUse): Fact => ({
  at: use.ts,
  project: nameOf(use.project),
  kinds: [
    nameOf(use.skill),
    successOf(use.success),
    use.duration_ms === null ? NO_CLASS : classOf(use.duration_ms),
  ],
  doc: use,
})

function followUpsOf(agent: AgentAccount, ended: number | null): Fact[] {
  if (!agent.finished || agent.status === null) return []
  const { source, session_id, agent_id, subagent_type, project, said_at: evidence } = agent
  const at = agent.last_at ?? agent.started_at ?? ended
  const about = { source, session_id, agent_id, subagent_type, project, ts: at ?? 0 }
  return agent.status.follow_ups.map((text) => {
    const doc: FollowUp = { ...about, text, evidence }
    return { at, project: nameOf(project), kinds: [], doc }
  })
}
