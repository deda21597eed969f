import type { AgentChanges, ChangedAgent, EventRow, EventStore } from '@panoptes/engine/store'
import type { Agent, AgentIdentity } from '@panoptes/schema'
import { type Client, isOpen, send } from './client.ts'
import { agentsFrame, readSnapshot } from './frames.ts'
import { agentKey, findMissing, TouchedAgents } from './touched-agents.ts'

const EVERY_MS = 100
const STALE_MS = 1_000
const MOST_ALIVE = 10_000
/** Agents in one frame; more wait for the next round. */
const MOST_AT_ONCE = 1_000

interface Parts {
  readonly store: EventStore
  readonly clients: ReadonlySet<Client>
  readonly unsentBytes: number
}

/**
 * Sends the current state of changed agents to clients that subscribed to it, in batches and at most every 100 ms.
 * A store in a file hands over the agents that its commits change. In a database that other processes write to,
 * the agents that events may have changed are read.
 */
export class AgentFrames {
  readonly #parts: Parts
  readonly #touched = new TouchedAgents()
  readonly #changed = new Map<string, ChangedAgent>()
  readonly #sentAgents = new SentAgents()
  readonly #unsubscribe: (() => void) | undefined
  /** The seq of the last commit that handed over agents. */
  #seq = 0
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0
  #sending = false
  #stopped = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#unsubscribe = parts.store.onAgentsChanged?.((changes) => this.#addChanges(changes))
  }

  addEvents(rows: readonly EventRow[]): void {
    if (this.#unsubscribe !== undefined || this.#listeners().length === 0) return
    this.#touched.addEvents(rows)
    this.#schedule(EVERY_MS)
  }

  /** Remembers that a client got these agents with its snapshot. */
  noteSnapshot(alive: readonly Agent[]): void {
    this.#sentAgents.snapshot(alive)
  }

  stop(): void {
    this.#stopped = true
    this.#unsubscribe?.()
    clearTimeout(this.#timer)
  }

  #listeners(): readonly Client[] {
    return [...this.#parts.clients].filter((client) => client.agents && isOpen(client))
  }

  #addChanges({ seq, agents }: AgentChanges): void {
    if (this.#listeners().length === 0) {
      // The next client gets its agents with a snapshot, which is newer than what still waits here.
      this.#changed.clear()
      return
    }
    this.#seq = seq
    for (const agent of agents) {
      const name = agentKey(agent)
      this.#changed.delete(name)
      if (agent.json !== undefined) this.#changed.set(name, agent)
      else this.#touched.add({ source: agent.source, session: agent.session_id, id: agent.id })
    }
    this.#schedule(EVERY_MS)
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
    this.#sendChanged()
    await this.#sendTouched()
    await this.#resendSnapshots()
    this.#sending = false
    if (this.#changed.size + this.#touched.size > 0) this.#schedule(EVERY_MS)
    else if (this.#listeners().some((client) => client.stale)) this.#schedule(STALE_MS)
  }

  #sendChanged(): void {
    const batch = [...this.#changed].slice(0, MOST_AT_ONCE)
    for (const [name] of batch) this.#changed.delete(name)
    const texts = batch.flatMap(([name, { json }]) =>
      json && this.#sentAgents.update(name, json) ? [json] : [],
    )
    const gone = batch.flatMap(([name, { json, ...identity }]) =>
      json === null && this.#sentAgents.forget(name) ? [identity] : [],
    )
    this.#send(this.#seq, texts, gone)
  }

  async #sendTouched(): Promise<void> {
    const batch = this.#touched.take()
    if (batch.length === 0) return
    const found = await this.#parts.store.agents({ of: batch, limit: MOST_ALIVE })
    if (this.#stopped) return
    if (!found.ok) {
      for (const client of this.#listeners()) client.stale = true
      return
    }
    const agents = found.value.value
    // A full result may be cut off, so it proves nothing.
    const missing = agents.length < MOST_ALIVE ? findMissing(batch, agents) : []
    this.#touched.addSessions(missing, batch)
    const texts = agents.flatMap((agent) => {
      const json = JSON.stringify(agent)
      return this.#sentAgents.update(agentKey(agent), json) ? [json] : []
    })
    const gone = missing.filter((identity) => this.#sentAgents.forget(agentKey(identity)))
    this.#send(found.value.seq, texts, gone)
  }

  #send(seq: number, texts: readonly string[], gone: readonly AgentIdentity[]): void {
    if (texts.length === 0 && gone.length === 0) return
    const frame = Buffer.from(agentsFrame(seq, texts, gone))
    for (const client of this.#listeners()) {
      // The client's snapshot is newer than this frame.
      if (client.snapshotSeq >= seq || client.stale) continue
      if (client.ws.bufferedAmount > this.#parts.unsentBytes) client.stale = true
      else send(client, frame)
    }
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

const MOST_REMEMBERED = 20_000

/** The state of each agent that clients got last, as JSON text. */
class SentAgents {
  readonly #sent = new Map<string, string>()

  /** Notes the state of an agent. Returns whether it changed. */
  update(name: string, json: string): boolean {
    if (this.#sent.get(name) === json) return false
    this.#note(name, json)
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

  #note(name: string, json: string): void {
    this.#sent.delete(name)
    this.#sent.set(name, json)
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MOST_REMEMBERED) break
      this.#sent.delete(oldest)
    }
  }
}
