import type { Account, Agent, AgentAccount, Outcome } from '@panoptes/schema'

/** Without a sign for so long an agent is taken for gone; a person who is waited for may be away for longer. */
const SILENT_MS = 1_800_000
const SILENT_LONG_MS = 86_400_000
/** What is told of one moment by two sides differs by less. */
const SLACK_MS = 60_000
/** What begins again after an end begins later than this. */
const SAME_MS = 1_000
const DEEPEST = 64

export interface Judged {
  readonly account: Account
  /** When somebody who is at work would be taken for gone; null where nobody is at work. */
  readonly due: number | null
}

export interface Judging {
  /** Those of the session's agents whom the log knows. */
  readonly live: readonly Agent[]
  readonly now: number
  /** Somebody says who is lost, by what his work usually takes. */
  readonly judged: boolean
}

/**
 * Who of a session is through with his work. The log goes first where it knows an agent, then what the session tells (an agent that is
 * finished in the account), then silence: of the agent and of everyone it waits for.
 */
export function judgeFinished(account: Account, { live, now, judged }: Judging): Judged {
  const known = new Map(live.map((agent) => [agent.id, agent]))
  const own = new Map<string, number>()
  for (const agent of account.agents) own.set(agent.agent_id, endOf(agent, known.get(agent.agent_id)))
  const patience = new Map(own)
  const parents = new Map(account.agents.map(({ agent_id, parent_id }) => [agent_id, parent_id]))
  for (const { agent_id } of account.agents) {
    const until = own.get(agent_id) ?? OVER
    let above = parents.get(agent_id) ?? null
    for (let level = 0; level < DEEPEST && above !== null && until > now; level += 1) {
      const before = patience.get(above)
      if (before !== undefined && before !== OVER) patience.set(above, Math.max(before, until))
      above = parents.get(above) ?? null
    }
  }
  let due: number | null = null
  const agents = account.agents.map((agent) => {
    const until = patience.get(agent.agent_id) ?? OVER
    if (until > now) due = Math.min(due ?? until, until)
    return { ...agent, outcome: outcomeOf(agent, known.get(agent.agent_id)), finished: until <= now }
  })
  return { account: { ...account, agents }, due }

  /** Until when it is waited for a sign of it. */
  function endOf(agent: AgentAccount, told: Agent | undefined): number {
    const last = agent.last_at ?? account.last_at
    if (told === undefined || isOutdated(told, last)) {
      if (agent.finished || last === null) return OVER
      return last + SILENT_MS
    }
    if (told.state === 'done' || told.state === 'failed') return OVER
    // The session has its end, and nobody heard of it since.
    if (agent.finished && last !== null && told.last_at <= last + SAME_MS) return OVER
    const long = judged || told.state === 'waiting'
    return Math.max(told.last_at, last ?? 0) + (long ? SILENT_LONG_MS : SILENT_MS)
  }
}

const OVER = Number.NEGATIVE_INFINITY

/** The log hears of ends that a session cannot tell: nobody writes down that its process was killed. */
function outcomeOf({ outcome, last_at, parent_id }: AgentAccount, told: Agent | undefined): Outcome | null {
  if (told === undefined || isOutdated(told, last_at)) return outcome
  if (told.outcome === 'stopped') return told.outcome
  if (told.outcome === 'lost') {
    // Live concludes this from silence alone, so an outcome in the session counts more. Only the marker of a
    // session's own agent may be from a turn before the one in which it was lost.
    const isReported = outcome === 'stopped' || (outcome !== null && parent_id !== null)
    return isReported ? outcome : 'lost'
  }
  return told.state === 'failed' ? 'fail' : outcome
}

/** What the log says is of an earlier part of its life: nobody told it of the rest. */
const isOutdated = ({ ended_at, last_at, state }: Agent, last: number | null): boolean => {
  if (last === null) return false
  const told = state === 'done' || state === 'failed' ? (ended_at ?? last_at) : last_at
  return last > told + SLACK_MS
}
