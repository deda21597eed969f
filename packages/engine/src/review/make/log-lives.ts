import type { StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { MAIN } from './making.ts'

interface Life {
  readonly begun: Set<string>
  readonly done: Set<string>
  readonly reported: Set<string>
  /** Of the session's own agent: when it was asked last, and when a turn of it ended last. */
  asked: number
  rested: number
}

/** Who is through with his work. A sub-agent that was begun anew ends as often; the session's own works from a prompt to its stop. */
export class LoggedLives {
  readonly #lives = new Map<string, Life>()
  /** The call that made an agent. */
  readonly #madeBy = new Map<string, string>()
  /** Calls that failed without a word of whom they made. */
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
      life.asked = Math.max(life.asked, ts)
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
    const asked = life?.asked ?? Number.NEGATIVE_INFINITY
    if (this.#over >= asked && this.#over > Number.NEGATIVE_INFINITY) return true
    if (life === undefined) return this.#hasFailed(agent)
    if (agent === MAIN) return life.rested >= asked && life.rested > Number.NEGATIVE_INFINITY
    const ends = Math.max(life.done.size, life.reported.size, this.#hasFailed(agent) ? 1 : 0)
    return ends >= Math.max(1, life.begun.size)
  }

  #hasFailed(agent: string): boolean {
    return this.#failed.has(this.#madeBy.get(agent) ?? '')
  }

  #life(agent: string): Life {
    const known = this.#lives.get(agent)
    if (known !== undefined) return known
    const never = Number.NEGATIVE_INFINITY
    const life = {
      begun: new Set<string>(),
      done: new Set<string>(),
      reported: new Set<string>(),
      asked: never,
      rested: never,
    }
    this.#lives.set(agent, life)
    return life
  }
}
