import type { AgentRef, EventRow, Ledger } from '@panoptes/engine/ledger'
import {
  type Agent,
  type AgentIdentity,
  agentOf,
  isKind,
  isReminder,
  type StoredEvent,
} from '@panoptes/schema'
import { type Client, isOpen, send } from './client.ts'
import { agentsFrame } from './frames.ts'
import { readSnapshot } from './snapshot.ts'
import { nameOf, Told } from './told.ts'

const EVERY_MS = 100
const STALE_MS = 1_000
const MOST_ALIVE = 10_000
/** Agents asked for at once; more of them wait for the next time. */
const MOST_ASKED = 1_000

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
  readonly #told = new Told()
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

  /** A client got these by its snapshot. */
  toldOf(alive: readonly Agent[]): void {
    this.#told.snapshot(alive)
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
    const id = WHOLE_SESSION.has(event.event) || isReminder(event) ? undefined : idOf(event)
    this.#note({ source, session, id })
    // Where a hook started the session, whoever was told of it is not shown any more.
    if (event.from_hook === true) this.#ask({ source, session, id: idOf(event) })
    // Until now the agent may have gone by the name of the call that made it.
    if (isKind(event, 'agent_link') && event.tool_use_id)
      this.#ask({ source, session, id: event.tool_use_id })
  }

  #note(ref: AgentRef): void {
    if (!this.#touched.has(wholeOf(ref))) this.#ask(ref)
  }

  #ask(ref: AgentRef): void {
    const { source, session, id } = ref
    this.#touched.set(id === undefined ? wholeOf(ref) : nameOf({ source, session_id: session, id }), ref)
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
    const missing = missingOf(asked, found.value.value)
    this.#askWider(asked, missing)
    const changed = found.value.value.filter((agent) => this.#told.tell(agent))
    const gone = missing.filter((ref) => this.#told.forget(nameOf(ref)))
    if (changed.length === 0 && gone.length === 0) return
    const frame = Buffer.from(agentsFrame(found.value.seq, changed, gone))
    for (const client of this.#listeners()) {
      // Its snapshot is newer than this.
      if (client.knows >= found.value.seq || client.stale) continue
      if (client.ws.bufferedAmount > this.#parts.unsentBytes) client.stale = true
      else send(client, frame)
    }
  }

  /** An agent that is not found by the name in the event goes by another one: its session knows. */
  #askWider(asked: readonly Asked[], missing: readonly AgentIdentity[]): void {
    const names = new Set(asked.map(([name]) => name))
    for (const { source, session_id: session } of missing)
      if (!names.has(wholeOf({ source, session }))) this.#note({ source, session })
  }

  /** Whoever could not take a frame gets a whole snapshot when it can. */
  async #tellStale(): Promise<void> {
    const ready = this.#listeners().filter(
      (client) => client.stale && client.ws.bufferedAmount <= this.#parts.unsentBytes,
    )
    if (ready.length === 0) return
    const snapshot = await readSnapshot(this.#parts.ledger, MOST_ALIVE)
    if (snapshot === undefined || this.#stopped) return
    this.#told.snapshot(snapshot.alive)
    const frame = Buffer.from(snapshot.frame)
    for (const client of ready) {
      if (!isOpen(client)) continue
      send(client, frame)
      client.stale = false
      client.knows = snapshot.seq
    }
  }
}

type Asked = readonly [name: string, ref: AgentRef]

const wholeOf = ({ source, session }: AgentRef): string => JSON.stringify([source, session])

/** Agents that were asked for by name and are not there; a full answer may have left some out. */
function missingOf(asked: readonly Asked[], found: readonly Agent[]): readonly AgentIdentity[] {
  if (found.length >= MOST_ALIVE) return []
  const known = new Set(found.map(nameOf))
  return asked.flatMap(([name, { source, session, id }]) =>
    id === undefined || known.has(name) ? [] : [{ source, session_id: session, id }],
  )
}

function idOf(event: StoredEvent): string {
  const id = agentOf(event) ?? 'main'
  return id === event.session_id ? 'main' : id
}
