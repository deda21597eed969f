import type { Agent, Counters, Failure, NewEvent, Result, SessionSummary } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type {
  Appended,
  At,
  EventFilter,
  EventRange,
  EventRow,
  Head,
  Ledger,
  RetentionPolicy,
  Work,
} from '../port.ts'
import type { ReaderCalls, WriterCalls } from './messages.ts'
import { Recent } from './recent.ts'
import { Thread } from './thread.ts'

/** Appends that wait are merged into one commit of at most this many events. */
const MOST_MERGED = 5_000
/** More than this waiting, and a caller is told to come again. */
const MOST_WAITING_BYTES = 67_108_864
const PAGE = 1_000

type Threads = { readonly writer: Thread<Writes>; readonly reader: Thread<Reads> }
type Writes = { [M in keyof WriterCalls]: WriterCalls[M] }
type Reads = { [M in keyof ReaderCalls]: ReaderCalls[M] }

interface Waiting {
  readonly lines: readonly string[]
  readonly bytes: number
  readonly settle: (result: Result<Appended>) => void
}

/** Opens or creates the ledger in one SQLite file: a thread that writes, a thread that reads. */
export async function openSqliteLedger(file: string): Promise<Result<Ledger>> {
  const writer = new Thread<Writes>('writer', file)
  const opened = await writer.call('open', [])
  if (!opened.ok) {
    await writer.end()
    return opened
  }
  const reader = new Thread<Reads>('reader', file)
  const readable = await reader.call('open', [])
  if (!readable.ok) {
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
  readonly #file: string
  readonly #threads: Threads
  readonly #recent = new Recent()
  readonly #wakers = new Set<() => void>()
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #subscribers = 0
  #flushing: Promise<void> | undefined
  #head: Head
  #closing: Promise<void> | undefined

  constructor(file: string, threads: Threads, head: Head) {
    this.#file = file
    this.#threads = threads
    this.#head = { first: head.first, last: head.last }
  }

  append(events: readonly NewEvent[]): Promise<Result<Appended>> {
    if (this.#closing) return Promise.resolve(this.#closed())
    if (events.length === 0)
      return Promise.resolve(success({ accepted: 0, duplicates: 0, last: this.#head.last }))
    if (this.#waitingBytes > MOST_WAITING_BYTES)
      return Promise.resolve(
        failure('busy', 'More events are waiting than can be stored now. Try again in a second.'),
      )
    const lines = events.map((event) => JSON.stringify(event))
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    this.#waitingBytes += bytes
    return new Promise((settle) => {
      this.#waiting.push({ lines, bytes, settle })
      this.#flushing ??= this.#flush()
    })
  }

  head(): Promise<Result<Head>> {
    return Promise.resolve(this.#closing ? this.#closed() : success(this.#head))
  }

  read(range: EventRange, filter: EventFilter = {}) {
    return this.#ask('read', [range, filter])
  }

  async *subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    this.#subscribers += 1
    try {
      yield* this.#follow(after, signal)
    } finally {
      this.#subscribers -= 1
      if (this.#subscribers === 0) this.#recent.clear()
    }
  }

  async *#follow(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    let at = after
    while (!signal.aborted && !this.#closing) {
      if (at >= this.#head.last) {
        await this.#nextAppend(signal)
        continue
      }
      const rows = this.#recent.after(at, PAGE) ?? (await this.#page(at))
      if (rows === undefined || signal.aborted) return
      const last = rows.at(-1)
      if (last === undefined) continue
      at = last.seq
      yield rows
    }
  }

  counters() {
    return this.#ask('counters', []) as Promise<Result<At<Counters>>>
  }

  agents(query: Parameters<Ledger['agents']>[0]) {
    return this.#ask('agents', [query]) as Promise<Result<At<readonly Agent[]>>>
  }

  sessions(query: { readonly limit: number }) {
    return this.#ask('sessions', [query.limit]) as Promise<Result<At<readonly SessionSummary[]>>>
  }

  async findAgents(ids: readonly string[]) {
    const found = await this.#ask('findAgents', [ids])
    return found.ok ? success(new Map(found.value)) : found
  }

  info() {
    return this.#ask('info', [])
  }

  rebuild(options: { readonly check: boolean } & Work) {
    return this.#order('rebuild', [options.check], options)
  }

  async retain(policy: RetentionPolicy & Work) {
    const { before, maxBytes } = policy
    const dropped = await this.#order('retain', [{ before, maxBytes }], policy)
    const info = await this.info()
    if (info.ok)
      this.#head = { first: info.value.head.first, last: Math.max(this.#head.last, info.value.head.last) }
    return dropped
  }

  backup(file: string, work: Work = {}) {
    return this.#ask('backup', [file], work)
  }

  verify() {
    return this.#ask('verify', [])
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    this.#wake()
    await this.#flushing
    await this.#threads.reader.call('close', [])
    await this.#threads.writer.call('close', [])
    await Promise.all([this.#threads.reader.end(), this.#threads.writer.end()])
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup()
      const reply = await this.#threads.writer.call('append', [group.map((waiting) => waiting.lines)])
      group.forEach((waiting, i) => {
        this.#waitingBytes -= waiting.bytes
        const written = reply.ok ? reply.value[i] : reply
        waiting.settle(this.#settled(waiting, written))
      })
      this.#wake()
    }
    this.#flushing = undefined
  }

  #takeGroup(): readonly Waiting[] {
    let count = 0
    let taken = 0
    for (const waiting of this.#waiting) {
      if (taken > 0 && count + waiting.lines.length > MOST_MERGED) break
      count += waiting.lines.length
      taken += 1
    }
    const group = this.#waiting.slice(0, taken)
    this.#waiting = this.#waiting.slice(taken)
    return group
  }

  #settled(waiting: Waiting, written: WrittenOrFailure | undefined): Result<Appended> {
    if (written === undefined) return failure('io', `The ledger ${this.#file} gave no answer. Try again.`)
    if ('ok' in written) return written
    const known = new Set(written.duplicates)
    if (this.#subscribers > 0) this.#remember(waiting.lines, known, written.first)
    this.#head = { first: this.#head.first, last: written.last }
    return success({
      accepted: waiting.lines.length - known.size,
      duplicates: known.size,
      last: written.last,
    })
  }

  #remember(lines: readonly string[], known: ReadonlySet<number>, first: number): void {
    let seq = first
    lines.forEach((line, i) => {
      if (known.has(i)) return
      this.#recent.push({ seq, json: `{"seq":${seq},${line.slice(1)}` })
      seq += 1
    })
  }

  async #page(after: number): Promise<readonly EventRow[] | undefined> {
    const page = await this.#ask('read', [{ after, limit: PAGE }, {}])
    return page.ok ? page.value.rows : undefined
  }

  #nextAppend(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#wakers.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#wakers.add(done)
      signal.addEventListener('abort', done)
    })
  }

  #wake(): void {
    for (const waker of [...this.#wakers]) waker()
  }

  #ask<M extends keyof Reads>(method: M, args: Parameters<Reads[M]>, work?: Work) {
    if (this.#closing) return Promise.resolve(this.#closed())
    return this.#threads.reader.call(method, args as never, work)
  }

  #order<M extends keyof Writes>(method: M, args: Parameters<Writes[M]>, work?: Work) {
    if (this.#closing) return Promise.resolve(this.#closed())
    return this.#threads.writer.call(method, args as never, work)
  }

  #closed(): Failure {
    return failure('closed', `The ledger ${this.#file} is closed.`)
  }
}

type WrittenOrFailure = ReturnType<WriterCalls['append']>[number]
