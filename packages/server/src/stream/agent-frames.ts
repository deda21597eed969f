import type { AgentRef, EventRow, EventStore } from '@panoptes/engine/store'
import {
  type Agent,
  type AgentIdentity,
  isKind,
  isReminder,
  readAgentId,
  type StoredEvent,
} from '@panoptes/schema'
import { type Client, isOpen, send } from './client.ts'
import { agentsFrame, readSnapshot } from './frames.ts'

const EVERY_MS = 100
const STALE_MS = 1_000
const MOST_ALIVE = 10_000
/** Agents that are read at once; more wait for the next round. */
const MOST_AT_ONCE = 1_000

/** Events that may change agents other than the one that they name. */
const WHOLE_SESSION: ReadonlySet<string> = new Set(['session_start', 'session_end', 'agent_link'])

interface Parts {
  readonly store: EventStore
  readonly clients: ReadonlySet<Client>
  readonly unsentBytes: number
}

/**
 * Sends the current state of changed agents to clients that subscribed to it, in batches and at most every 100 ms.
 */
export class AgentFrames {
  readonly #parts: Parts
  #requested = new Map<string, AgentRef>()
  readonly #sentAgents = new SentAgents()
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0
  #sending = false
  #stopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  addChanges(rows: readonly EventRow[]): void {
    if (this.#listeners().length === 0) return
    for (const { json } of rows) this.#collectAgents(JSON.parse(json) as StoredEvent)
    this.#schedule(EVERY_MS)
  }

  /** Remembers that a client got these agents with its snapshot. */
  noteSnapshot(alive: readonly Agent[]): void {
    this.#sentAgents.snapshot(alive)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #listeners(): readonly Client[] {
    return [...this.#parts.clients].filter((client) => client.agents && isOpen(client))
  }

  #collectAgents(event: StoredEvent): void {
    const { source, session_id: session } = event
    const id = WHOLE_SESSION.has(event.event) || isReminder(event) ? undefined : eventAgentId(event)
    this.#requestUnlessSession({ source, session, id })
    // An agent whose session was started by a hook is no longer shown, so clients must hear that it is gone.
    if (event.from_hook === true) this.#request({ source, session, id: eventAgentId(event) })
    // Until this event, the agent may have been known by the id of the call that started it.
    if (isKind(event, 'agent_link') && event.tool_use_id)
      this.#request({ source, session, id: event.tool_use_id })
  }

  #requestUnlessSession(ref: AgentRef): void {
    if (!this.#requested.has(sessionKey(ref))) this.#request(ref)
  }

  #request(ref: AgentRef): void {
    const { source, session, id } = ref
    this.#requested.set(
      id === undefined ? sessionKey(ref) : agentKey({ source, session_id: session, id }),
      ref,
    )
  }

  #schedule(everyMs: number): void {
    if (this.#timer || this.#sending || this.#stopped) return
    const wait = Math.max(0, this.#lastAt + everyMs - performance.now())
    this.#timer = setTimeout(() => void this.#sendFrames(), wait)
    this.#timer.unref()
  }

  async #sendFrames(): Promise<void> {
    this.#timer = undefined
    this.#sending = true
    this.#lastAt = performance.now()
    await this.#sendChanged()
    await this.#resendSnapshots()
    this.#sending = false
    if (this.#requested.size > 0) this.#schedule(EVERY_MS)
    else if (this.#listeners().some((client) => client.stale)) this.#schedule(STALE_MS)
  }

  async #sendChanged(): Promise<void> {
    const batch = [...this.#requested].slice(0, MOST_AT_ONCE)
    if (batch.length === 0) return
    for (const [name] of batch) this.#requested.delete(name)
    const found = await this.#parts.store.agents({ of: batch.map(([, ref]) => ref), limit: MOST_ALIVE })
    if (this.#stopped) return
    if (!found.ok) {
      for (const client of this.#listeners()) client.stale = true
      return
    }
    const missing = findMissing(batch, found.value.value)
    this.#requestSessions(batch, missing)
    const changed = found.value.value.filter((agent) => this.#sentAgents.update(agent))
    const gone = missing.filter((ref) => this.#sentAgents.forget(agentKey(ref)))
    if (changed.length === 0 && gone.length === 0) return
    const frame = Buffer.from(agentsFrame(found.value.seq, changed, gone))
    for (const client of this.#listeners()) {
      // The client's snapshot is newer than this frame.
      if (client.snapshotSeq >= found.value.seq || client.stale) continue
      if (client.ws.bufferedAmount > this.#parts.unsentBytes) client.stale = true
      else send(client, frame)
    }
  }

  /** An agent that is not found under the id in its event has another id by now, so the whole session is read. */
  #requestSessions(batch: readonly TouchedAgent[], missing: readonly AgentIdentity[]): void {
    const names = new Set(batch.map(([name]) => name))
    for (const { source, session_id: session } of missing)
      if (!names.has(sessionKey({ source, session }))) this.#requestUnlessSession({ source, session })
  }

  /** Sends a full snapshot to clients that missed a frame, once they can take it. */
  async #resendSnapshots(): Promise<void> {
    const ready = this.#listeners().filter(
      (client) => client.stale && client.ws.bufferedAmount <= this.#parts.unsentBytes,
    )
    if (ready.length === 0) return
    const addSnapshot = await readSnapshot(this.#parts.store, MOST_ALIVE)
    if (addSnapshot === undefined || this.#stopped) return
    this.#sentAgents.snapshot(addSnapshot.alive)
    const frame = Buffer.from(addSnapshot.frame)
    for (const client of ready) {
      if (!isOpen(client)) continue
      send(client, frame)
      client.stale = false
      client.snapshotSeq = addSnapshot.seq
    }
  }
}

type TouchedAgent = readonly [name: string, ref: AgentRef]

const sessionKey = ({ source, session }: AgentRef): string => JSON.stringify([source, session])

/** Agents that were requested by id and do not exist. A full result may be cut off, so it proves nothing. */
function findMissing(batch: readonly TouchedAgent[], found: readonly Agent[]): readonly AgentIdentity[] {
  if (found.length >= MOST_ALIVE) return []
  const names = new Set(found.map(agentKey))
  return batch.flatMap(([name, { source, session, id }]) =>
    id === undefined || names.has(name) ? [] : [{ source, session_id: session, id }],
  )
}

function eventAgentId(event: StoredEvent): string {
  const id = readAgentId(event) ?? 'main'
  return id === event.session_id ? 'main' : id
}

const MOST_REMEMBERED = 20_000

const agentKey = ({ source, session_id, id }: AgentIdentity): string =>
  JSON.stringify([source, session_id, id])

/** The state of each agent that clients got last. */
class SentAgents {
  readonly #sent = new Map<string, string>()

  /** Notes the state of an agent. Returns whether it changed. */
  update(agent: Agent): boolean {
    const name = agentKey(agent)
    const text = JSON.stringify(agent)
    if (this.#sent.get(name) === text) return false
    this.#note(name, text)
    return true
  }

  /**
   * Notes agents that a snapshot sent to one client. Their state is left open, since it may be new to the other
   * clients.
   */
  snapshot(alive: readonly Agent[]): void {
    for (const agent of alive) {
      const name = agentKey(agent)
      if (!this.#sent.has(name)) this.#note(name, '')
    }
  }

  /** Removes an agent. Returns whether any client knew it. */
  forget(name: string): boolean {
    return this.#sent.delete(name)
  }

  #note(name: string, text: string): void {
    this.#sent.delete(name)
    this.#sent.set(name, text)
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MOST_REMEMBERED) break
      this.#sent.delete(oldest)
    }
  }
}
