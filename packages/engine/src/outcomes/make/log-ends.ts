import type { Outcome, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './account-context.ts'

interface End {
  readonly ts: number
  readonly outcome: Outcome | null
  /** A loss is a guess from silence. It gives way to an end that is reported for later than this. */
  readonly since?: number
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
    else if (isKind(event, 'agent_lost')) this.#lost(event)
    else if (isKind(event, 'agent_done'))
      this.#note(event.id, event, event.error ? 'fail' : forced(event.outcome), true)
    else if (isKind(event, 'agent_link') && (event.status === 'completed' || event.status === 'failed')) {
      const outcome = forced(event.outcome) ?? (event.status === 'failed' ? 'fail' : null)
      if (event.id) this.#note(event.id, event, outcome, true)
      else if (event.tool_use_id) this.#calls.set(event.tool_use_id, { ts: event.ts, outcome })
    }
  }

  of(agent: string, madeBy: string | undefined): Outcome | null {
    const own = this.#ends.get(agent)
    const callEnd = madeBy === undefined ? undefined : this.#calls.get(madeBy)
    if (callEnd !== undefined && (own === undefined || callEnd.ts >= own.ts)) return callEnd.outcome
    return own?.outcome ?? null
  }

  #lost({
    agent_id: agent,
    ts,
  }: {
    readonly agent_id?: string | null | undefined
    readonly ts: number
  }): void {
    const previous = agent ? this.#ends.get(agent) : undefined
    if (!agent || (previous !== undefined && previous.ts > ts)) return
    this.#ends.set(agent, { ts, outcome: 'lost', since: previous?.since ?? previous?.ts ?? ts })
  }

  #note(agent: string | null | undefined, { ts }: StoredEvent, outcome: Outcome | null, ends = false): void {
    if (!agent) return
    const previous = this.#ends.get(agent)
    const newest = ends ? (previous?.since ?? previous?.ts) : previous?.ts
    // For the same moment, a forced end takes precedence over the agent's own.
    if (newest !== undefined && (newest > ts || (newest === ts && outcome === null))) return
    this.#ends.set(agent, { ts, outcome })
  }
}

/** What an agent says about its work is in its marker. */
const forced = (outcome: Outcome | null | undefined): Outcome | null =>
  outcome === 'stopped' || outcome === 'lost' ? outcome : null
