import type { StoredEvent } from '@panoptes/schema'
import { agentOf, isKind } from '@panoptes/schema/reading'

const HIGHEST = 100

/**
 * An agent may be told of by the name of the call that made it, or of the span that it works in, until its own is known (`agent_link`).
 * Every event with the name that its agent has in the end.
 */
export function* underOwnNames(events: Iterable<StoredEvent>): Generator<StoredEvent> {
  const all = [...events]
  const names = new Map<string, string>()
  for (const event of all)
    if (isKind(event, 'agent_link') && event.id && event.tool_use_id) names.set(event.tool_use_id, event.id)
  if (names.size === 0) {
    yield* all
    return
  }
  const own = (name: string): string => {
    let at = name
    for (let steps = 0; steps < HIGHEST; steps += 1) {
      const next = names.get(at)
      if (next === undefined || next === at) return at
      at = next
    }
    return at
  }
  for (const event of all) yield renamed(event, own)
}

function renamed(event: StoredEvent, own: (name: string) => string): StoredEvent {
  const agent = agentOf(event)
  const parent = typeof event.parent_id === 'string' ? event.parent_id : undefined
  const [newAgent, newParent] = [agent, parent].map((name) => (name === undefined ? undefined : own(name)))
  if (newAgent === agent && newParent === parent) return event
  const field =
    event.event === 'agent_spawn' || event.event === 'agent_done' || event.event === 'agent_link'
      ? 'id'
      : 'agent_id'
  return {
    ...event,
    ...(newAgent === undefined ? {} : { [field]: newAgent }),
    ...(newParent === undefined ? {} : { parent_id: newParent }),
  }
}
