import type { StoredEvent } from '@panoptes/schema'
import { agentOf, isKind } from '@panoptes/schema/reading'

const HIGHEST = 100
const OWN: ReadonlySet<string> = new Set(['agent_spawn', 'agent_done', 'agent_link'])

/**
 * An agent may be told of by the name of the call that made it, or of the span that it works in, until its own is known. So links are
 * learned before anything else is heard.
 */
export class OwnNames {
  readonly #names = new Map<string, string>()

  learn(event: StoredEvent): void {
    if (isKind(event, 'agent_link') && event.id && event.tool_use_id)
      this.#names.set(event.tool_use_id, event.id)
  }

  /** The event with the name that its agent has in the end. */
  under(event: StoredEvent): StoredEvent {
    if (this.#names.size === 0) return event
    const agent = agentOf(event)
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
