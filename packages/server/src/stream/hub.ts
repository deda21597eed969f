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
  readonly #stopWatchingRewinds: (() => void) | undefined
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
    this.#stopWatchingRewinds = parts.store.onTurned?.((back) => this.#rewindTo(back))
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
    const behind = Math.max(0, this.#head - client.sentSeq)
    client.maxLag = behind + this.#limits.behind
    this.clients.add(client)
    this.#advance(client)
  }

  /** Sessions were forgotten: drops buffered rows, and disconnects all clients so that they start over. */
  restart(): void {
    this.#restartClients('sessions were forgotten')
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#stopWatchingRewinds?.()
    this.#pace.stop()
    this.#agents.stop()
    await this.#following
  }

  /**
   * A standby took over that lacks the last events: clients that saw those events start over, since they no longer
   * exist.
   */
  #rewindTo(back: number | undefined): void {
    this.#clear()
    if (back === undefined || back >= this.#head) return
    this.#head = back
    this.#restartClients('the log went back')
  }

  #restartClients(why: string): void {
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
      for await (const rows of this.#feed.subscribe(this.#head, signal)) this.#acceptRows(rows)
      // The subscription ends by itself only when the store could not be read.
      if (!signal.aborted) await pause(RETRY_MS, signal)
    }
  }

  #acceptRows(rows: readonly EventRow[]): void {
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) return
    if (first.seq <= this.#head) this.#restartClients('the log went back')
    for (const row of rows) this.#recent.push(row)
    this.#head = last.seq
    this.#flow.countRows(rows)
    if (this.clients.size === 0) return
    this.#pace.countRows(rows.length)
    this.#agents.addEvents(rows)
  }

  #advanceAll(): void {
    for (const client of this.clients) this.#advance(client)
  }

  #advance(client: Client): void {
    if (client.busy || client.sentSeq >= this.#head || !isOpen(client)) return
    client.socket.cork()
    try {
      this.#sendReady(client)
    } finally {
      client.socket.uncork()
    }
  }

  #sendReady(client: Client): void {
    while (client.sentSeq < this.#head) {
      if (client.ws.bufferedAmount > this.#limits.unsentBytes) {
        this.#resumeWhenDrained(client)
        return
      }
      if (this.#head - client.sentSeq > client.maxLag) this.#skipTo(client, this.#head)
      else {
        const rows = this.#recent.readAfter(client.sentSeq, PAGE)
        if (!rows) {
          void this.#readFor(client)
          return
        }
        this.#send(client, rows)
      }
    }
    client.maxLag = this.#limits.behind
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
    const page = await this.#store.read({ after: client.sentSeq, limit: PAGE })
    client.busy = false
    if (!isOpen(client)) return
    if (!page.ok) {
      this.#log.warn({ code: page.code }, 'stream: the store could not be read')
      client.ws.close(1011, 'the store could not be read')
      return
    }
    const first = page.value.rows[0]?.seq ?? head + 1
    if (first > client.sentSeq + 1) this.#skipTo(client, first - 1)
    this.#send(client, page.value.rows)
    this.#advance(client)
  }

  #skipTo(client: Client, to: number): void {
    const from = client.sentSeq + 1
    send(client, gapFrame(from, to))
    client.sentSeq = to
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
      client.sentSeq = rows.at(-1)?.seq ?? client.sentSeq
      return
    }
    // Seqs of forgotten events are missing, so the index of a row does not follow from its seq.
    for (let at = 0; at < rows.length; ) {
      const frame = this.#frames.batch(rows, at)
      send(client, frame.data)
      totals.frames += 1
      client.sentSeq = frame.last
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

  countRows(count: number): void {
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
