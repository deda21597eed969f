import type { Account } from '@panoptes/schema'
import type { EndedAgent } from '../calls.ts'
import { judgeFinished } from './finished.ts'

const MOST_KNOWN = 10_000

/** Who ended, by the word of somebody else than his session. */
export class ToldEnds {
  readonly #last = new Map<string, number | null>()

  add(agents: readonly EndedAgent[]): void {
    for (const agent of agents) {
      if (this.#last.size >= MOST_KNOWN) this.#last.clear()
      this.#last.set(keyOf(agent), agent.last_at)
    }
  }

  /** The account as it is for whoever compares what was said with what it took: with everyone finished who is taken to be. */
  seen(account: Account, now: number): Account {
    const agents = account.agents.map((agent) =>
      agent.last_at !== null && this.#last.get(keyOf(agent)) === agent.last_at
        ? { ...agent, finished: true }
        : agent,
    )
    return judgeFinished({ ...account, agents }, { live: [], now, judged: false }).account
  }
}

const keyOf = ({ source, session_id, agent_id }: Omit<EndedAgent, 'last_at'>): string =>
  JSON.stringify([source, session_id, agent_id])

/** Those whose end was not known when the account was made, and of whom something was estimated that it would have measured. */
export function unmeasured(before: Account, judged: Account, now: number): readonly EndedAgent[] {
  const waits = before.claims.some(
    ({ evidence_tier, estimate }) => evidence_tier === 'ESTIMATE-HTC' && (estimate?.took ?? null) === null,
  )
  if (before.from !== 'session' || !waits) return []
  const alone = judgeFinished(before, { live: [], now, judged: false }).account
  return judged.agents.filter(({ finished }, n) => finished && alone.agents[n]?.finished === false)
}
