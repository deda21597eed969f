import type { Thread } from '@panoptes/engine/threads'
import { pause } from '@panoptes/engine/waiting'
import type { Agent, Counters, Failure, NewEvent, Result, SessionSummary, ToolStats } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Accounts } from '../accounts-port.ts'
import type { Achieved } from '../achieved-port.ts'
import { AppendQueue } from '../append-queue.ts'
import type { Conversations } from '../conversations-port.ts'
import type { Forgetting, Forgotten } from '../forget-port.ts'
import { ForgottenSessions } from '../forgotten-sessions.ts'
import { Leading } from '../leading.ts'
import { lineOf } from '../line.ts'
import type { MarkedSessions } from '../marked-port.ts'
import type {
  AgentQuery,
  Appended,
  At,
  EventFilter,
  EventRange,
  EventRow,
  Head,
  Ledger,
  LedgerJob,
  Marks,
  Moment,
  RetentionPolicy,
  SessionQuery,
  TimelineQuery,
  Work,
} from '../port.ts'
import type { Templated } from '../templated-port.ts'
import type { Turns } from '../turns-port.ts'
import { accountsOf } from './accounts/threaded.ts'
import {
  achievedOf,
  conversationsOf,
  forgettingOf,
  markedOf,
  type Threaded,
  templatedOf,
  turnsOf,
} from './beside-log.ts'
import { Followers } from './followers.ts'
import { Keeper } from './keeper.ts'
import { ledgerThread } from './ledger-thread.ts'
import type { ReaderCalls, WriterCalls } from './messages.ts'

/** A thread that does not answer is ended; what it had acknowledged is in the file. */
const CLOSE_MS = 5_000

type Threads = { readonly writer: Thread<Writes>; readonly reader: Thread<Reads> }
type Writes = { [M in keyof WriterCalls]: WriterCalls[M] }
type Reads = { [M in keyof ReaderCalls]: ReaderCalls[M] }

/** Opens or creates the ledger in one SQLite file: a thread that writes, a thread that reads. */
export async function openSqliteLedger(file: string): Promise<Result<Ledger>> {
  const writer = ledgerThread<Writes>('writer', file)
  const opened = await writer.call('open', [])
  if (!opened.ok) {
    await writer.call('close', [])
    await writer.end()
    return opened
  }
  const reader = ledgerThread<Reads>('reader', file)
  const readable = await reader.call('open', [])
  if (!readable.ok) {
    await Promise.all([writer.call('close', []), reader.call('close', [])])
    await Promise.all([writer.end(), reader.end()])
    return readable
  }
  const ledger = new SqliteLedger(file, { writer, reader }, opened.value)
  if (!opened.value.stale) return success(ledger)
  const rebuilt = await ledger.rebuild({ check: false })
  if (rebuilt.ok) return success(ledger)
  await ledger.close()
  return rebuilt
}

class SqliteLedger implements Ledger {
  readonly marked: MarkedSessions
  readonly accounts: Accounts
  readonly achieved: Achieved
  readonly templated: Templated
  readonly turns: Turns
  readonly traces = null
  readonly conversations: Conversations
  readonly forgetting: Forgetting
  readonly #forgotten: ForgottenSessions
  readonly #file: string
  readonly #threads: Threads
  readonly #keeper: Keeper
  readonly #queue: AppendQueue
  readonly #followers: Followers
  readonly #stop = new AbortController()
  readonly #leading = new Leading(async () => ({ signal: this.#stop.signal, release: async () => undefined }))
  #head: Head
  #closing: Promise<void> | undefined

  constructor(file: string, threads: Threads, head: Head & { readonly forgotten: Forgotten }) {
    this.#file = file
    this.#threads = threads
    this.#keeper = new Keeper(file)
    this.#queue = new AppendQueue((batches) => threads.writer.call('append', [batches]))
    this.#head = { first: head.first, last: head.last }
    this.#forgotten = new ForgottenSessions(head.forgotten)
    this.#followers = new Followers({
      last: () => (this.#closing ? undefined : this.#head.last),
      page: (after, limit) => this.#ask('read', [{ after, limit }, {}]),
    })
    const threaded = {
      ask: (method, args, work, part) => this.#ask(method, args as never, work, part),
      order: (method, args, work) => this.#order(method, args as never, work),
    } as Threaded
    this.marked = markedOf(threaded)
    this.accounts = accountsOf(threaded, this.#forgotten, (pages) => this.#keeper.changed(pages))
    this.achieved = achievedOf(threaded)
    this.templated = templatedOf(threaded, this.#forgotten)
    this.turns = turnsOf(threaded, this.#forgotten)
    this.conversations = conversationsOf(threaded)
    this.forgetting = forgettingOf(threaded, this.#forgotten, {
      settle: () => this.#queue.drain(),
      cleared: () => this.#followers.forget(),
    })
  }

  async append(events: readonly NewEvent[], marks?: Marks): Promise<Result<Appended>> {
    if (this.#closing) return this.#closed()
    const kept = this.#forgotten.without(events)
    const left = events.length - kept.length
    const refused = left > 0 ? { forgotten: left } : {}
    if (kept.length === 0 && marks === undefined)
      return success({ accepted: 0, duplicates: left, ...refused, last: this.#head.last })
    const lines = kept.map(lineOf)
    const written = await this.#queue.append({ lines, marks })
    if (!written.ok) return written
    this.#keeper.wrote(lines)
    const { first, last, duplicates } = written.value
    const known = new Set(duplicates)
    this.#followers.remember(lines, known, first)
    this.#head = { first: this.#head.first, last: Math.max(this.#head.last, last) }
    this.#followers.wake()
    return success({
      accepted: lines.length - known.size,
      duplicates: known.size + left,
      ...refused,
      last,
    })
  }

  head(): Promise<Result<Head>> {
    return Promise.resolve(this.#closing ? this.#closed() : success(this.#head))
  }

  read(range: EventRange, filter: EventFilter = {}) {
    return this.#ask('read', [range, filter])
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    return this.#followers.follow(after, signal)
  }

  counters() {
    return this.#ask('counters', []) as Promise<Result<At<Counters>>>
  }

  async agents(query: AgentQuery): Promise<Result<At<readonly Agent[]>>> {
    const agents: Agent[] = []
    const take = (part: readonly unknown[]) => void agents.push(...(part as readonly Agent[]))
    const rest = (await this.#ask('agents', [query], {}, take)) as Result<At<readonly Agent[]>>
    if (!rest.ok || agents.length === 0) return rest
    take(rest.value.value)
    return success({ seq: rest.value.seq, value: agents })
  }

  async agentsAt(moment: Moment): Promise<Result<At<readonly Agent[]>>> {
    const then = await this.replayAt(moment)
    return then.ok ? success({ seq: then.value.seq, value: JSON.parse(then.value.agents) }) : then
  }

  replayAt(moment: Moment) {
    return this.#ask('replayAt', [moment])
  }

  timeline(query: TimelineQuery) {
    return this.#ask('timeline', [query])
  }

  tools() {
    return this.#ask('tools', []) as Promise<Result<At<readonly ToolStats[]>>>
  }

  marks(names: readonly string[]) {
    return this.#ask('marks', [names])
  }

  aliveCount() {
    return this.#ask('aliveCount', [])
  }

  sessions(query: SessionQuery) {
    return this.#ask('sessions', [query]) as Promise<Result<At<readonly SessionSummary[]>>>
  }

  async findAgents(ids: readonly string[]) {
    const found = await this.#ask('findAgents', [ids])
    return found.ok ? success(new Map(found.value)) : found
  }

  /** Nobody else can have the file: this process does it. */
  lead(job: LedgerJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
    return this.#leading.lead(job, work, AbortSignal.any([signal, this.#stop.signal]))
  }

  load() {
    return { waiting: this.#queue.waiting, pool: null }
  }

  info() {
    return this.#ask('info', [])
  }

  rebuild(options: { readonly check: boolean } & Work) {
    return this.#order('rebuild', [options.check], options)
  }

  async retain(policy: RetentionPolicy & Work) {
    const { before, maxBytes, keepAfter } = policy
    const dropped = await this.#order('retain', [{ before, maxBytes, keepAfter }], policy)
    const info = await this.info()
    if (info.ok)
      this.#head = { first: info.value.head.first, last: Math.max(this.#head.last, info.value.head.last) }
    return dropped
  }

  backup(file: string, { replace = false, ...work }: { readonly replace?: boolean | undefined } & Work = {}) {
    return this.#closing ? Promise.resolve(this.#closed()) : this.#keeper.backup(file, replace, work)
  }

  verify() {
    return this.#closing ? Promise.resolve(this.#closed()) : this.#keeper.verify()
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    this.#stop.abort()
    this.#followers.wake()
    const { reader, writer } = this.#threads
    // The writer last: only it can tidy the log beside the file, and only when nobody reads any more.
    await within(CLOSE_MS, async () => {
      await this.#queue.drain()
      await Promise.all([reader.call('close', []), this.#keeper.close()])
    })
    await within(CLOSE_MS, () => writer.call('close', []))
    await within(CLOSE_MS, () => Promise.all([reader.end(), writer.end()]))
  }

  #ask<M extends keyof Reads>(
    method: M,
    args: Parameters<Reads[M]>,
    work?: Work,
    part?: (part: readonly unknown[]) => void,
  ) {
    if (this.#closing) return Promise.resolve(this.#closed())
    return this.#threads.reader.call(method, args as never, work, part)
  }

  #order<M extends keyof Writes>(method: M, args: Parameters<Writes[M]>, work?: Work) {
    if (this.#closing) return Promise.resolve(this.#closed())
    return this.#threads.writer.call(method, args as never, work)
  }

  #closed(): Failure {
    return failure('closed', `The ledger ${this.#file} is closed.`)
  }
}

async function within(ms: number, work: () => Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work(), pause(ms, over.signal)])
  over.abort()
}
