import type { AgentRef, EventRow } from '@panoptes/engine/store'
import {
  type Agent,
  type AgentIdentity,
  isKind,
  isReminder,
  readAgentId,
  type StoredEvent,
} from '@panoptes/schema'

/** Agents that are read at once; more wait for the next round. */
const MOST_AT_ONCE = 1_000

/** Events that may change agents other than the one that they name. */
const WHOLE_SESSION: ReadonlySet<string> = new Set(['session_start', 'session_end', 'agent_link'])

/** The agents that have to be read because they may have changed, each once. */
export class TouchedAgents {
  readonly #refs = new Map<string, AgentRef>()

  get size(): number {
    return this.#refs.size
  }

  /** Adds the agents that events may have changed, for a store that does not report changed agents itself. */
  addEvents(rows: readonly EventRow[]): void {
    for (const { json } of rows) this.#addEvent(JSON.parse(json) as StoredEvent)
  }

  add(ref: AgentRef): void {
    const { source, session, id } = ref
    this.#refs.set(id === undefined ? sessionKey(ref) : agentKey({ source, session_id: session, id }), ref)
  }

  /** Removes as many as can be read at once, and returns them. */
  take(): readonly AgentRef[] {
    const batch = [...this.#refs].slice(0, MOST_AT_ONCE)
    for (const [name] of batch) this.#refs.delete(name)
    return batch.map(([, ref]) => ref)
  }

  #addEvent(event: StoredEvent): void {
    const { source, session_id: session } = event
    const id = WHOLE_SESSION.has(event.event) || isReminder(event) ? undefined : eventAgentId(event)
    this.#addUnlessSession({ source, session, id })
    // An agent whose session was started by a hook is no longer shown, so clients must hear that it is gone.
    if (event.from_hook === true) this.add({ source, session, id: eventAgentId(event) })
    // Until this event, the agent may have been known by the id of the call that started it.
    if (isKind(event, 'agent_link') && event.tool_use_id) this.add({ source, session, id: event.tool_use_id })
  }

  /** An agent that is not found under the id in its event has another id by now, so its whole session is read. */
  addSessions(missing: readonly AgentIdentity[], batch: readonly AgentRef[]): void {
    const sessions = new Set(batch.filter(({ id }) => id === undefined).map(sessionKey))
    for (const { source, session_id: session } of missing)
      if (!sessions.has(sessionKey({ source, session }))) this.#addUnlessSession({ source, session })
  }

  #addUnlessSession(ref: AgentRef): void {
    if (!this.#refs.has(sessionKey(ref))) this.add(ref)
  }
}

const sessionKey = ({ source, session }: AgentRef): string => JSON.stringify([source, session])

export const agentKey = ({ source, session_id, id }: AgentIdentity): string =>
  JSON.stringify([source, session_id, id])

/** Returns the agents that were read by id and do not exist. */
export function findMissing(batch: readonly AgentRef[], found: readonly Agent[]): readonly AgentIdentity[] {
  const names = new Set(found.map(agentKey))
  return batch.flatMap(({ source, session, id }) =>
    id === undefined || names.has(agentKey({ source, session_id: session, id }))
      ? []
      : [{ source, session_id: session, id }],
  )
}

function eventAgentId(event: StoredEvent): string {
  const id = readAgentId(event) ?? 'main'
  return id === event.session_id ? 'main' : id
}
