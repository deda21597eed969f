import type { Agent, StreamFrame } from '@panoptes/schema'

const LINGER_MS = 60_000
const MOST = 2_000

/** The agents that frames of the stream tell of: those alive, and for a minute those that just ended. */
export class LiveAgents {
  readonly #agents = new Map<string, Agent>()

  /** Takes a frame in, and answers the agents that are new or changed by it. */
  take(frame: StreamFrame): readonly Agent[] {
    if (frame.type === 'snapshot') {
      // Whoever is not in it has ended meanwhile, or is gone.
      const before = new Map(this.#agents)
      this.#agents.clear()
      return this.#keep(frame.alive, before)
    }
    return frame.type === 'agents' ? this.#keep(frame.data, this.#agents) : []
  }

  list(now: number): readonly Agent[] {
    for (const [key, { ended_at }] of this.#agents) {
      if (ended_at !== null && now - ended_at > LINGER_MS) this.#agents.delete(key)
    }
    return [...this.#agents.values()]
  }

  #keep(agents: readonly Agent[], before: ReadonlyMap<string, Agent>): readonly Agent[] {
    const changed = agents.filter((agent) => !same(before.get(keyOf(agent)), agent))
    for (const agent of agents) {
      this.#agents.delete(keyOf(agent))
      this.#agents.set(keyOf(agent), agent)
    }
    for (const key of this.#agents.keys()) {
      if (this.#agents.size <= MOST) break
      this.#agents.delete(key)
    }
    return changed
  }
}

const keyOf = ({ source, session_id, id }: Agent): string => `${source}\u0000${session_id}\u0000${id}`

/** Nothing that a line would show has changed. */
const same = (before: Agent | undefined, now: Agent): boolean =>
  before !== undefined &&
  before.state === now.state &&
  before.errors === now.errors &&
  before.wait_reason === now.wait_reason &&
  before.wait_since === now.wait_since &&
  before.doing?.since === now.doing?.since &&
  before.doing?.tool === now.doing?.tool
