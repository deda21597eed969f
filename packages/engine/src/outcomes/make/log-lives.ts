import type { Outcome, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './account-context.ts'

interface Life {
  readonly begun: Set<string>
  readonly done: Set<string>
  readonly reported: Set<string>
  /** The times of the main agent's last prompt and last stop. */
  promptedAt: number
  rested: number
}

interface End {
  readonly ts: number
  readonly outcome: Outcome | null
  /** A loss is a guess from silence. It gives way to an end that is reported for later than this. */
  readonly since?: number
}

/**
 * Tracks which agents have finished. A restarted sub-agent has to end again; the main agent works
 * from a prompt to its stop.
 */
export class LoggedLives {
  readonly #lives = new Map<string, Life>()
  /** Maps an agent to the call that started it. */
  readonly #madeBy = new Map<string, string>()
  /** Failed calls that do not name the agent they started. */
  readonly #failed = new Set<string>()
  #over = Number.NEGATIVE_INFINITY

  hear(event: StoredEvent): void {
    const { key, ts } = event
    if (isKind(event, 'session_end')) this.#over = Math.max(this.#over, ts)
    else if (isKind(event, 'agent_spawn') && event.id) this.#life(event.id).begun.add(key)
    else if (isKind(event, 'agent_done') && event.id) {
      const life = this.#life(event.id)
      life.done.add(key)
      life.rested = Math.max(life.rested, ts)
    } else if (isKind(event, 'prompt')) {
      const life = this.#life(event.agent_id ?? MAIN)
      life.promptedAt = Math.max(life.promptedAt, ts)
    } else if (isKind(event, 'agent_link')) {
      const { id, tool_use_id: call, status } = event
      if (id && call) this.#madeBy.set(id, call)
      if (status !== 'completed' && status !== 'failed') return
      if (id) this.#life(id).reported.add(call ?? key)
      else if (call) this.#failed.add(call)
    }
  }

  isThrough(agent: string): boolean {
    const life = this.#lives.get(agent)
    const promptedAt = life?.promptedAt ?? Number.NEGATIVE_INFINITY
    if (this.#over >= promptedAt && this.#over > Number.NEGATIVE_INFINITY) return true
    if (life === undefined) return this.#hasFailed(agent)
    if (agent === MAIN) return life.rested >= promptedAt && life.rested > Number.NEGATIVE_INFINITY
    const ends = Math.max(life.done.size, life.reported.size, this.#hasFailed(agent) ? 1 : 0)
    return ends >= Math.max(1, life.begun.size)
  }

  #hasFailed(agent: string): boolean {
    return this.#failed.has(this.#madeBy.get(agent) ?? '')
  }

  #life(agent: string): Life {
    const existing = this.#lives.get(agent)
    if (existing !== undefined) return existing
    const never = Number.NEGATIVE_INFINITY
    const life = {
      begun: new Set<string>(),
      done: new Set<string>(),
      reported: new Set<string>(),
      promptedAt: never,
      rested: never,
    }
    this.#lives.set(agent, life)
    return life
  }
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
      this.#note(event.id, event, event.error ? 'fail' : keepForcedOutcome(event.outcome), true)
    else if (isKind(event, 'agent_link') && (event.status === 'completed' || event.status === 'failed')) {
      const outcome = keepForcedOutcome(event.outcome) ?? (event.status === 'failed' ? 'fail' : null)
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
const keepForcedOutcome = (outcome: Outcome | null | undefined): Outcome | null =>
  outcome === 'stopped' || outcome === 'lost' ? outcome : null
