import type { AgentRef, EventRow, Ledger } from '@panoptes/engine/ledger'
import { type Agent, agentOf, type StoredEvent } from '@panoptes/schema'
import { type Client, isOpen, send } from './client.ts'
import { agentsFrame } from './frames.ts'
import { readSnapshot } from './snapshot.ts'

const EVERY_MS = 100
const STALE_MS = 1_000
const MOST_ALIVE = 10_000
/** Agents asked for at once; more of them wait for the next time. */
const MOST_ASKED = 1_000
const MOST_REMEMBERED = 20_000

/** These may change agents that they do not name. */
const WHOLE_SESSION: ReadonlySet<string> = new Set(['session_start', 'session_end', 'agent_link'])

interface Parts {
  readonly ledger: Ledger
  readonly clients: ReadonlySet<Client>
  readonly unsentBytes: number
}

/** Tells clients that asked for it which agents changed and how they are now: together, and not too often. */
export class AgentFrames {
  readonly #parts: Parts
  #touched = new Map<string, AgentRef>()
  /** What was last sent of each agent. */
  readonly #sent = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #lastAt = 0
  #telling = false
  #stopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  saw(rows: readonly EventRow[]): void {
    if (this.#listeners().length === 0) return
    for (const { json } of rows) this.#touch(JSON.parse(json) as StoredEvent)
    this.#soon(EVERY_MS)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #listeners(): readonly Client[] {
    return [...this.#parts.clients].filter((client) => client.agents && isOpen(client))
  }

  #touch(event: StoredEvent): void {
    const { source, session_id: session } = event
    const id = WHOLE_SESSION.has(event.event) ? undefined : idOf(event)
    this.#note({ source, session, id })
  }

  #note(ref: AgentRef): void {
    const whole = JSON.stringify([ref.source, ref.session])
    if (this.#touched.has(whole)) return
    this.#touched.set(ref.id === undefined ? whole : JSON.stringify([ref.source, ref.session, ref.id]), ref)
  }

  #soon(everyMs: number): void {
    if (this.#timer || this.#telling || this.#stopped) return
    const wait = Math.max(0, this.#lastAt + everyMs - performance.now())
    this.#timer = setTimeout(() => void this.#tell(), wait)
    this.#timer.unref()
  }

  async #tell(): Promise<void> {
    this.#timer = undefined
    this.#telling = true
    this.#lastAt = performance.now()
    await this.#tellChanged()
    await this.#tellStale()
    this.#telling = false
    if (this.#touched.size > 0) this.#soon(EVERY_MS)
    else if (this.#listeners().some((client) => client.stale)) this.#soon(STALE_MS)
  }

  async #tellChanged(): Promise<void> {
    const asked = [...this.#touched].slice(0, MOST_ASKED)
    if (asked.length === 0) return
    for (const [name] of asked) this.#touched.delete(name)
    const found = await this.#parts.ledger.agents({ of: asked.map(([, ref]) => ref), limit: MOST_ALIVE })
    if (this.#stopped) return
    if (!found.ok) {
      for (const client of this.#listeners()) client.stale = true
      return
    }
    this.#askWider(asked, found.value.value)
    const changed = found.value.value.filter((agent) => this.#isNew(agent))
    if (changed.length === 0) return
    const frame = Buffer.from(agentsFrame(found.value.seq, changed))
    for (const client of this.#listeners()) {
      // Its snapshot is newer than this.
      if (client.knows >= found.value.seq || client.stale) continue
      if (client.ws.bufferedAmount > this.#parts.unsentBytes) client.stale = true
      else send(client, frame)
    }
  }

  /** An agent that is not found by the name in the event goes by another one: its session knows. */
  #askWider(asked: readonly (readonly [string, AgentRef])[], found: readonly Agent[]): void {
    const known = new Set(found.map(({ source, session_id, id }) => JSON.stringify([source, session_id, id])))
    for (const [name, { source, session, id }] of asked) {
      if (id !== undefined && !known.has(name)) this.#note({ source, session })
    }
  }

  #isNew(agent: Agent): boolean {
    const name = JSON.stringify([agent.source, agent.session_id, agent.id])
    const text = JSON.stringify(agent)
    if (this.#sent.get(name) === text) return false
    this.#sent.delete(name)
    this.#sent.set(name, text)
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= MOST_REMEMBERED) break
      this.#sent.delete(oldest)
    }
    return true
  }

  /** Whoever could not take a frame gets a whole snapshot when it can. */
  async #tellStale(): Promise<void> {
    const ready = this.#listeners().filter(
      (client) => client.stale && client.ws.bufferedAmount <= this.#parts.unsentBytes,
    )
    if (ready.length === 0) return
    const snapshot = await readSnapshot(this.#parts.ledger, MOST_ALIVE)
    if (snapshot === undefined || this.#stopped) return
    const frame = Buffer.from(snapshot.frame)
    for (const client of ready) {
      if (!isOpen(client)) continue
      send(client, frame)
      client.stale = false
      client.knows = snapshot.seq
    }
  }
}

function idOf(event: StoredEvent): string {
  const id = agentOf(event) ?? 'main'
  return id === event.session_id ? 'main' : id
}
