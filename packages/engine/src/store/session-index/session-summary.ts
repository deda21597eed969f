import type { Session, Spent } from '@panoptes/schema'
import { computeOutsideSpent } from '@panoptes/schema/outside'
import type { Amount } from './by-model.ts'
import type { Gathered } from './session-totals.ts'
import { totalSpent } from './usage-sums.ts'

interface Ended {
  readonly spent: Spent
  readonly agents: ReadonlyMap<string, { readonly messages: number; readonly spent: Spent }>
  readonly models: ReadonlyMap<string, Amount>
  /** The session as lists show it. */
  readonly doc: object & { readonly outside_micro_usd: number | null }
}

/** Sums up a completed session. */
export function summarizeSession(session: Session, gathered: Gathered): Ended {
  const { messages, tool_calls, errors } = gathered
  const { client_spending, ...rest } = session
  const spent = totalSpent(session, gathered.spent)
  // An amount that the source reports for the whole session belongs to its only agent.
  const agents =
    gathered.agents.size === 1
      ? new Map([...gathered.agents].map(([id, own]) => [id, { messages: own.messages, spent }]))
      : gathered.agents
  const models = gathered.models.end(session, spent)
  const outside = computeOutsideSpent(
    client_spending,
    new Map([...models].map(([name, own]) => [name, toInsideSpending(own)])),
  )
  const counts = { messages, tool_calls, errors, spent, activity: gathered.activity() }
  return {
    spent,
    agents,
    models,
    doc: { ...rest, ...counts, outside_micro_usd: outside?.cost_micro_usd ?? null },
  }
}

const toInsideSpending = ({ messages, spent }: Amount) => ({
  cost_micro_usd: spent.cost_micro_usd,
  cost_unknown: spent.cost_unknown + spent.usage_unknown,
  tokens: spent.input + spent.output + spent.cache_read + spent.cache_write,
  replies: messages,
})
