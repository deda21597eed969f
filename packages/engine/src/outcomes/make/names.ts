import type { StoredEvent } from '@panoptes/schema'
import { isKind, readAgentId } from '@panoptes/schema/reading'

const HIGHEST = 100
const OWN: ReadonlySet<string> = new Set(['agent_spawn', 'agent_done', 'agent_link'])

/**
 * An agent may be named by the call that started it or by its span until its own name is known, so
 * links are processed first.
 */
export class OwnNames {
  readonly #names = new Map<string, string>()

  learn(event: StoredEvent): void {
    if (isKind(event, 'agent_link') && event.id && event.tool_use_id)
      this.#names.set(event.tool_use_id, event.id)
  }

  /** Returns the event with its agent's final name. */
  under(event: StoredEvent): StoredEvent {
    if (this.#names.size === 0) return event
    const agent = readAgentId(event)
    const parent = typeof event.parent_id === 'string' ? event.parent_id : undefined
    const own = { agent: agent && this.of(agent), parent: parent && this.of(parent) }
    if (own.agent === agent && own.parent === parent) return event
    return {
      ...event,
      ...(own.agent === undefined ? {} : { [OWN.has(event.event) ? 'id' : 'agent_id']: own.agent }),
      ...(own.parent === undefined ? {} : { parent_id: own.parent }),
    }
  }

  of(name: string): string {
    let at = name
    for (let steps = 0; steps < HIGHEST; steps += 1) {
      const next = this.#names.get(at)
      if (next === undefined || next === at) return at
      at = next
    }
    return at
  }
}
