import { setTimeout as wait } from 'node:timers/promises'
import { type EventRow, type Ledger, RecentRows } from '@panoptes/engine/ledger'
import type { Agent } from '@panoptes/schema'
import type { Logger } from 'pino'
import type { Flow } from '../flow.ts'
import { AgentFrames } from './agent-frames.ts'
import { type Client, isOpen, send } from './client.ts'
import { Frames, gapFrame } from './frames.ts'
import { Pace } from './pace.ts'

export interface HubLimits {
  /** A client with more than this unsent gets nothing until it has taken it. */
  readonly unsentBytes: number
  /** A client that is further behind than this is told of a gap. */
  readonly behind: number
}

interface HubParts {
  readonly ledger: Ledger
  readonly feed: Pick<Ledger, 'subscribe'>
  readonly flow: Flow
  readonly log: Logger
  readonly limits: HubLimits
}

const PAGE = 1_000
/** Fewer events than this go one by one even where a batch is welcome. */
const FEW = 4
const RETRY_MS = 250

/** Follows the ledger once and passes its rows on to every client, each at its own pace. */
export class Hub {
  readonly clients = new Set<Client>()
  readonly #ledger: Ledger
  readonly #feed: Pick<Ledger, 'subscribe'>
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
    this.#ledger = parts.ledger
    this.#feed = parts.feed
    this.#flow = parts.flow
    this.#log = parts.log
    this.#limits = parts.limits
    this.#agents = new AgentFrames({
      ledger: parts.ledger,
      clients: this.clients,
      unsentBytes: parts.limits.unsentBytes,
    })
    this.#unheard = parts.ledger.onTurned?.((back) => this.#turned(back))
    this.#following = this.#follow()
  }

  get head(): number {
    return this.#head
  }

  /** From here on the client gets every row after its place, in order, each once. Its snapshot named who is alive. */
  add(client: Client, alive: readonly Agent[]): void {
    if (client.agents) this.#agents.toldOf(alive)
    const behind = Math.max(0, this.#head - client.at)
    client.mayLag = behind + this.#limits.behind
    this.clients.add(client)
    this.#advance(client)
  }

  /** Events were forgotten: nothing of them is sent any more, and whoever was told of them begins anew. */
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

  /** After a standby that lacks the last events took over, whoever was told of those was told of what never was. */
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
      // It ends by itself only when the ledger could not be read.
      if (!signal.aborted) await wait(RETRY_MS, undefined, { signal }).catch(() => undefined)
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

  /** What is no longer in memory comes from the ledger, a page at a time. */
  async #readFor(client: Client): Promise<void> {
    client.busy = true
    // What comes while it is read is not in the page, and is not missing either.
    const head = this.#head
    const page = await this.#ledger.read({ after: client.at, limit: PAGE })
    client.busy = false
    if (!isOpen(client)) return
    if (!page.ok) {
      this.#log.warn({ code: page.code }, 'stream: the ledger could not be read')
      client.ws.close(1011, 'the ledger could not be read')
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
    // Numbers of forgotten events are missing, so a row's place is not told by its seq.
    for (let at = 0; at < rows.length; ) {
      const frame = this.#frames.batch(rows, at)
      send(client, frame.data)
      totals.frames += 1
      client.at = frame.last
      while (at < rows.length && (rows[at] as EventRow).seq <= frame.last) at += 1
    }
  }
}
