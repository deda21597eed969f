import type { Outcome, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './account-context.ts'

interface End {
  readonly ts: number
  readonly outcome: Outcome | null
}

/** Forced ends of agents; the newest report of an end or start counts. */
export class LoggedEnds {
  readonly #ends = new Map<string, End>()
  /** Failed or interrupted calls that do not name the agent they started. */
  readonly #calls = new Map<string, End>()

  hear(event: StoredEvent): void {
    if (isKind(event, 'agent_spawn')) this.#note(event.id, event, null)
    else if (isKind(event, 'prompt')) this.#note(event.agent_id ?? MAIN, event, null)
    else if (isKind(event, 'tool_use')) this.#note(event.agent_id ?? MAIN, event, null)
    else if (isKind(event, 'agent_lost')) this.#note(event.agent_id, event, 'lost')
    else if (isKind(event, 'agent_done'))
      this.#note(event.id, event, event.error ? 'fail' : forced(event.outcome))
    else if (isKind(event, 'agent_link') && (event.status === 'completed' || event.status === 'failed')) {
      const outcome = forced(event.outcome) ?? (event.status === 'failed' ? 'fail' : null)
      if (event.id) this.#note(event.id, event, outcome)
      else if (event.tool_use_id) this.#calls.set(event.tool_use_id, { ts: event.ts, outcome })
    }
  }

  of(agent: string, madeBy: string | undefined): Outcome | null {
    const own = this.#ends.get(agent)
    const callEnd = madeBy === undefined ? undefined : this.#calls.get(madeBy)
    if (callEnd !== undefined && (own === undefined || callEnd.ts >= own.ts)) return callEnd.outcome
    return own?.outcome ?? null
  }

  #note(agent: string | null | undefined, { ts }: StoredEvent, outcome: Outcome | null): void {
    if (!agent) return
    const previous = this.#ends.get(agent)
    // For the same moment, a forced end takes precedence over the agent's own.
    if (previous !== undefined && (previous.ts > ts || (previous.ts === ts && outcome === null))) return
    this.#ends.set(agent, { ts, outcome })
  }
}

/** What an agent says about its work is in its marker. */
const forced = (outcome: Outcome | null | undefined): Outcome | null =>
  outcome === 'stopped' || outcome === 'lost' ? outcome : null
