import { pause } from '@panoptes/engine/abortable'
import { type EventRow, type EventStore, RecentRows } from '@panoptes/engine/store'
import type { Agent } from '@panoptes/schema'
import type { Logger } from 'pino'
import type { Flow } from '../throughput.ts'
import { AgentFrames } from './agent-frames.ts'
import { type Client, isOpen, send } from './client.ts'
import { Frames, gapFrame } from './frames.ts'

export interface HubLimits {
  /** A client with more unsent bytes than this gets nothing until it has read some. */
  readonly unsentBytes: number
  /** A client that falls further behind than this gets a gap frame. */
  readonly behind: number
}

interface HubParts {
  readonly store: EventStore
  readonly feed: Pick<EventStore, 'subscribe'>
  readonly flow: Flow
  readonly log: Logger
  readonly limits: HubLimits
}

const PAGE = 1_000
/** Fewer events than this are sent one by one, also to clients that accept batches. */
const FEW = 4
const RETRY_MS = 250

/** Follows the store once, and passes its rows on to every client at the client's own pace. */
export class Hub {
  readonly clients = new Set<Client>()
  readonly #store: EventStore
  readonly #feed: Pick<EventStore, 'subscribe'>
  readonly #flow: Flow
  readonly #log: Logger
  readonly #limits: HubLimits
  readonly #recent = new RecentRows()
  #frames = new Frames()
  readonly #pace = new Pace(() => this.#advanceAll())
  readonly #stop = new AbortController()
  readonly #agents: AgentFrames
  readonly #unheard: (() => void) | undefined
  #head: number
  #following: Promise<void>

  constructor(head: number, parts: HubParts) {
    this.#head = head
    this.#store = parts.store
    this.#feed = parts.feed
    this.#flow = parts.flow
    this.#log = parts.log
    this.#limits = parts.limits
    this.#agents = new AgentFrames({
      store: parts.store,
      clients: this.clients,
      unsentBytes: parts.limits.unsentBytes,
    })
    this.#unheard = parts.store.onTurned?.((back) => this.#turned(back))
    this.#following = this.#follow()
  }

  get head(): number {
    return this.#head
  }

  /**
   * From now on the client gets every row after its position, in order, exactly once. `alive` are the agents in its
   * snapshot.
   */
  add(client: Client, alive: readonly Agent[]): void {
    if (client.agents) this.#agents.noteSnapshot(alive)
    const behind = Math.max(0, this.#head - client.at)
    client.mayLag = behind + this.#limits.behind
    this.clients.add(client)
    this.#advance(client)
  }

  /** Sessions were forgotten: drops buffered rows, and disconnects all clients so that they start over. */
  forgot(): void {
    this.#beginAnew('sessions were forgotten')
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#unheard?.()
    this.#pace.stop()
    this.#agents.stop()
    await this.#following
  }

  /**
   * A standby took over that lacks the last events: clients that saw those events start over, since they no longer
   * exist.
   */
  #turned(back: number | undefined): void {
    this.#clear()
    if (back === undefined || back >= this.#head) return
    this.#head = back
    this.#beginAnew('the log went back')
  }

  #beginAnew(why: string): void {
    this.#clear()
    for (const client of this.clients) client.ws.close(1012, why)
  }

  #clear(): void {
    this.#recent.clear()
    this.#frames = new Frames()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      for await (const rows of this.#feed.subscribe(this.#head, signal)) this.#take(rows)
      // The subscription ends by itself only when the store could not be read.
      if (!signal.aborted) await pause(RETRY_MS, signal)
    }
  }

  #take(rows: readonly EventRow[]): void {
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) return
    if (first.seq <= this.#head) this.#beginAnew('the log went back')
    for (const row of rows) this.#recent.push(row)
    this.#head = last.seq
    this.#flow.saw(rows)
    if (this.clients.size === 0) return
    this.#pace.arrived(rows.length)
    this.#agents.saw(rows)
  }

  #advanceAll(): void {
    for (const client of this.clients) this.#advance(client)
  }

  #advance(client: Client): void {
    if (client.busy || client.at >= this.#head || !isOpen(client)) return
    client.socket.cork()
    try {
      this.#sendReady(client)
    } finally {
      client.socket.uncork()
    }
  }

  #sendReady(client: Client): void {
    while (client.at < this.#head) {
      if (client.ws.bufferedAmount > this.#limits.unsentBytes) {
        this.#resumeWhenDrained(client)
        return
      }
      if (this.#head - client.at > client.mayLag) this.#skipTo(client, this.#head)
      else {
        const rows = this.#recent.after(client.at, PAGE)
        if (!rows) {
          void this.#readFor(client)
          return
        }
        this.#send(client, rows)
      }
    }
    client.mayLag = this.#limits.behind
  }

  #resumeWhenDrained(client: Client): void {
    client.busy = true
    client.socket.once('drain', () => {
      client.busy = false
      this.#advance(client)
    })
  }

  /** Reads rows that are no longer in memory from the store, one page at a time. */
  async #readFor(client: Client): Promise<void> {
    client.busy = true
    // Rows that arrive during the read are not in the page, and do not count as missing.
    const head = this.#head
    const page = await this.#store.read({ after: client.at, limit: PAGE })
    client.busy = false
    if (!isOpen(client)) return
    if (!page.ok) {
      this.#log.warn({ code: page.code }, 'stream: the store could not be read')
      client.ws.close(1011, 'the store could not be read')
      return
    }
    const first = page.value.rows[0]?.seq ?? head + 1
    if (first > client.at + 1) this.#skipTo(client, first - 1)
    this.#send(client, page.value.rows)
    this.#advance(client)
  }

  #skipTo(client: Client, to: number): void {
    const from = client.at + 1
    send(client, gapFrame(from, to))
    client.at = to
    const { totals } = this.#flow
    totals.gaps += 1
    totals.frames += 1
    totals.missed += to - from + 1
    this.#log.info({ from, to }, 'stream: a client missed events')
  }

  #send(client: Client, rows: readonly EventRow[]): void {
    const { totals } = this.#flow
    if (!client.batch || rows.length < FEW) {
      for (const row of rows) send(client, this.#frames.event(row))
      totals.frames += rows.length
      client.at = rows.at(-1)?.seq ?? client.at
      return
    }
    // Seqs of forgotten events are missing, so the index of a row does not follow from its seq.
    for (let at = 0; at < rows.length; ) {
      const frame = this.#frames.batch(rows, at)
      send(client, frame.data)
      totals.frames += 1
      client.at = frame.last
      while (at < rows.length && (rows[at] as EventRow).seq <= frame.last) at += 1
    }
  }
}

/** With more events than this in a window the stream is busy, and waiting makes larger frames. */
const BUSY = 200
const WINDOW_MS = 100
const WAIT_MS = 16

/** Sends at once while there are few events, and batches them for a moment while there are many. */
class Pace {
  readonly #send: () => void
  #timer: NodeJS.Timeout | undefined
  #windowStart = 0
  #count = 0
  #busy = false

  constructor(send: () => void) {
    this.#send = send
  }

  arrived(count: number): void {
    const now = performance.now()
    if (now - this.#windowStart > WINDOW_MS) {
      this.#busy = this.#count > BUSY && now - this.#windowStart < 2 * WINDOW_MS
      this.#windowStart = now
      this.#count = 0
    }
    this.#count += count
    if (this.#timer) return
    if (!this.#busy && this.#count <= BUSY) {
      this.#send()
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#send()
    }, WAIT_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
