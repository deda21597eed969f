import { pause } from '@panoptes/engine/abortable'
import type { OnDemandThread, Thread } from '@panoptes/engine/worker-rpc'
import type { Agent, Counters, Failure, NewEvent, Result, SessionSummary, ToolStats } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Accounts } from '../accounts-port.ts'
import type { AchievementStore } from '../achievement-store-port.ts'
import type { AnnotationStore } from '../annotations-port.ts'
import { AppendQueue, type Batch, type Written } from '../append-queue.ts'
import type { Conversations } from '../conversations-port.ts'
import { serializeEvent } from '../event-line.ts'
import type { Forgetting, Forgotten } from '../forget-port.ts'
import { ForgottenSessions } from '../forgotten-sessions.ts'
import { Leading } from '../leader-election.ts'
import type {
  AgentChanges,
  AgentQuery,
  Appended,
  At,
  EventFilter,
  EventRange,
  EventRow,
  EventStore,
  Head,
  Marks,
  Moment,
  RetentionPolicy,
  SessionQuery,
  StoreJob,
  TimelineQuery,
  Work,
} from '../port.ts'
import type { TemplateUses } from '../template-uses-port.ts'
import type { Turns } from '../turns-port.ts'
import { createAccounts } from './accounts/worker-client.ts'
import { Followers } from './followers.ts'
import { Keeper } from './maintenance.ts'
import type { ReaderCalls, WriterCalls } from './messages.ts'
import {
  createAchievementStore,
  createAnnotations,
  createConversations,
  createForgetting,
  createTemplateUses,
  createTurns,
  startWriter,
  type Threaded,
  threadOnDemand,
} from './worker-client.ts'

/** A thread that does not answer is terminated. Everything it acknowledged is already in the file. */
const CLOSE_MS = 5_000

type Threads = { readonly writer: Thread<Writes>; readonly reader: OnDemandThread<Reads> }
type Writes = { [M in keyof WriterCalls]: WriterCalls[M] }
type Reads = { [M in keyof ReaderCalls]: ReaderCalls[M] }

/** Opens or creates the store in one SQLite file, with one thread that writes and one that reads on demand. */
export async function openSqliteStore(file: string): Promise<Result<EventStore>> {
  const writer = startWriter<Writes>(file)
  const opened = await writer.call('open', [])
  if (!opened.ok) {
    await writer.call('close', [])
    await writer.end()
    return opened
  }
  const reader = threadOnDemand<Reads>('reader', file)
  const readable = await reader.call('open', [])
  if (!readable.ok) {
    await Promise.all([writer.call('close', []), reader.close()])
    await writer.end()
    return readable
  }
  const store = new SqliteStore(file, { writer, reader }, opened.value)
  if (!opened.value.stale) return success(store)
  const rebuilt = await store.rebuild({ check: false })
  if (rebuilt.ok) return success(store)
  await store.close()
  return rebuilt
}

class SqliteStore implements EventStore {
  readonly annotations: AnnotationStore
  readonly accounts: Accounts
  readonly achievementStore: AchievementStore
  readonly templateUses: TemplateUses
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
  readonly #agentListeners = new Set<(changes: AgentChanges) => void>()
  readonly #stop = new AbortController()
  readonly #leading = new Leading(async () => ({ signal: this.#stop.signal, release: async () => undefined }))
  #head: Head
  #closing: Promise<void> | undefined

  constructor(file: string, threads: Threads, head: Head & { readonly forgotten: Forgotten }) {
    this.#file = file
    this.#threads = threads
    this.#keeper = new Keeper(file)
    this.#queue = new AppendQueue((batches) => this.#commit(batches))
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
    this.annotations = createAnnotations(threaded)
    this.accounts = createAccounts(threaded, this.#forgotten, (pages) => this.#keeper.recordPages(pages))
    this.achievementStore = createAchievementStore(threaded)
    this.templateUses = createTemplateUses(threaded, this.#forgotten)
    this.turns = createTurns(threaded, this.#forgotten)
    this.conversations = createConversations(threaded)
    this.forgetting = createForgetting(threaded, this.#forgotten, {
      settle: () => this.#queue.drain(),
      cleared: () => this.#followers.forget(),
    })
  }

  async append(events: readonly NewEvent[], marks?: Marks): Promise<Result<Appended>> {
    if (this.#closing) return this.#closed()
    const accepted = this.#forgotten.dropForgotten(events)
    const left = events.length - accepted.length
    const refused = left > 0 ? { forgotten: left } : {}
    if (accepted.length === 0 && marks === undefined)
      return success({ accepted: 0, duplicates: left, ...refused, last: this.#head.last })
    const lines = accepted.map(serializeEvent)
    const written = await this.#queue.append({ lines, marks })
    if (!written.ok) return written
    this.#keeper.recordLines(lines)
    const { first, last, duplicates } = written.value
    const duplicateSet = new Set(duplicates)
    this.#followers.remember(lines, duplicateSet, first)
    this.#head = { first: this.#head.first, last: Math.max(this.#head.last, last) }
    this.#followers.wake()
    return success({
      accepted: lines.length - duplicateSet.size,
      duplicates: duplicateSet.size + left,
      ...refused,
      last,
    })
  }

  async #commit(batches: readonly Batch[]): Promise<Result<readonly (Written | Failure)[]>> {
    const reply = await this.#threads.writer.call('append', [batches])
    if (!reply.ok) return reply
    const { written, seq, changed } = reply.value
    if (changed.length > 0) for (const listener of this.#agentListeners) listener({ seq, agents: changed })
    return success(written)
  }

  head(): Promise<Result<Head>> {
    return Promise.resolve(this.#closing ? this.#closed() : success(this.#head))
  }

  checkWritable() {
    return this.#order('checkWritable', [])
  }

  read(range: EventRange, filter: EventFilter = {}) {
    return this.#ask('read', [range, filter])
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    return this.#followers.follow(after, signal)
  }

  onAgentsChanged(listener: (changes: AgentChanges) => void): () => void {
    this.#agentListeners.add(listener)
    if (this.#agentListeners.size === 1) void this.#order('watchAgents', [true])
    return () => {
      if (this.#agentListeners.delete(listener) && this.#agentListeners.size === 0)
        void this.#order('watchAgents', [false])
    }
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

  /** No other process can have the file, so this process leads every job. */
  lead(job: StoreJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
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

  async redactStored({ onProgress, signal }: Work = {}) {
    await this.#queue.drain()
    // A closing store does not wait for the job to finish; the next process continues it.
    const stopped = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
    const changed = await this.#order('redactStored', [], { onProgress, signal: stopped })
    this.#followers.forget()
    return changed
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
    // The writer closes last, because only it can empty the write-ahead log, and only when nobody reads any
    // more.
    await waitAtMost(CLOSE_MS, async () => {
      await this.#queue.drain()
      await Promise.all([reader.close(), this.#keeper.close()])
    })
    await waitAtMost(CLOSE_MS, () => writer.call('close', []))
    await waitAtMost(CLOSE_MS, () => Promise.all([reader.end(), writer.end()]))
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
    return failure('closed', `The store ${this.#file} is closed.`)
  }
}

async function waitAtMost(ms: number, work: () => Promise<unknown>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work(), pause(ms, over.signal)])
  over.abort()
}
