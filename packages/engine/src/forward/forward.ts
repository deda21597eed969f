import { pause } from '@panoptes/engine/abortable'
import type { EventStore } from '@panoptes/engine/store'
import {
  type Forwarded,
  type ForwardStatus,
  failure,
  type IngestReply,
  ingestReply,
  type NewEvent,
  type Result,
  success,
} from '@panoptes/schema'
import { measureWaiting } from './backlog.ts'
import { type Batch, nextBatch } from './batch.ts'
import type { Hub } from './hub.ts'
import { hubName } from './hub-url.ts'
import { lostEvent } from './lost-events.ts'
import { type ForwardMark, openMark, saveMark } from './mark.ts'
import { type BackoffTimes, createBackoff, createPacing, createRate, TIMES } from './pacing.ts'
import type { Trouble } from './problem.ts'

export interface ForwardOptions {
  readonly store: Pick<EventStore, 'append' | 'marks' | 'head' | 'read' | 'subscribe'>
  readonly hub: Hub
  readonly token: () => Promise<Result<string>>
  readonly what: Forwarded
  /** The name of this computer. */
  readonly host: string
  /** Start with the oldest stored event, even if the hub has it already. */
  readonly fromStart?: boolean
  readonly log: ForwardLog
  readonly times?: Partial<BackoffTimes>
}

export interface ForwardLog {
  readonly info: (fields: object, text: string) => void
  readonly warn: (fields: object, text: string) => void
}

/**
 * Sends the store of this computer to a hub: one batch at a time, in order, and repeatedly until the hub has
 * it.
 */
export interface Forward {
  readonly status: () => Promise<Result<Omit<ForwardStatus, 'transcripts'>>>
  /** Returns the seq up to which the hub has everything. */
  readonly sentTo: () => number
  readonly stop: () => Promise<void>
}

const TRIES = 4
/**
 * A hub that refuses even small bodies, or has accepted none so far, says nothing about the single event in
 * one.
 */
const SMALL_BODY = 65_536

export async function startForward(options: ForwardOptions): Promise<Result<Forward>> {
  const mark = await openMark(options.store, options.hub.url, options.fromStart === true)
  if (!mark.ok) return mark
  const forwarding = new Forwarding(options, mark.value)
  return success({
    status: () => forwarding.status(),
    sentTo: () => forwarding.mark.seq,
    stop: () => forwarding.stop(),
  })
}

type Problem = NonNullable<ForwardStatus['problem']>

class Forwarding {
  mark: ForwardMark
  readonly #options: ForwardOptions
  readonly #hub: Hub
  readonly #pacing
  readonly #times: BackoffTimes
  readonly #backoff
  readonly #rate = createRate()
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #attempts = 0
  /** Refusals of one event sent alone. No other failure counts against it. */
  #refusals = { after: -1, times: 0 }
  #retries = 0
  #lastAt: number | null = null
  #problem: Problem | null = null
  /** The token of the last request. */
  #token: string | undefined

  constructor(options: ForwardOptions, mark: ForwardMark) {
    this.#options = options
    this.#hub = options.hub
    this.mark = mark
    this.#pacing = createPacing(options.hub.bytesPerSecond)
    this.#times = { ...TIMES, ...options.times }
    this.#backoff = createBackoff(this.#times)
    this.#running = this.#run()
  }

  async status(): Promise<Result<Omit<ForwardStatus, 'transcripts'>>> {
    const { seq, events, bytes, compressed, refused, refused_why } = this.mark
    const waiting = await measureWaiting(this.#options.store, seq)
    if (!waiting.ok) return waiting
    const overtaken = await this.#overtaken()
    const rate = this.#rate.now()
    return success({
      to: hubName(this.#hub.url),
      what: this.#options.what,
      state: this.#problem ? 'failing' : waiting.value.events > 0 ? 'sending' : 'idle',
      seq,
      waiting: waiting.value,
      sent: {
        events,
        bytes,
        compressed_bytes: compressed,
        events_per_second: rate.events,
        bytes_per_second: rate.bytes,
        last_at: this.#lastAt,
      },
      retries: this.#retries,
      refused,
      refused_why,
      lost: this.mark.lost + overtaken,
      lost_at: overtaken > 0 ? Date.now() : this.mark.lost_at,
      problem: this.#problem,
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let lastMessage = ''
    while (!signal.aborted) {
      const done = await this.#next(signal).catch(unexpectedFailure)
      if (!done.ok) {
        if (done.code === 'closed') return
        if (done.message !== lastMessage) this.#options.log.warn({ code: done.code }, done.message)
        lastMessage = done.message
        await pause(this.#times.lookMs, signal)
      }
    }
  }

  /** Sends one batch, or waits for one. */
  async #next(signal: AbortSignal): Promise<Result<unknown>> {
    const { store, what } = this.#options
    const lost = await this.#overtaken()
    if (lost > 0) {
      const notice = lostEvent(this.#hub.url, this.mark.seq, lost, this.#options.host)
      const passed = await this.#move({ seq: this.mark.seq + lost, lost }, [notice])
      if (!passed.ok) return passed
      this.#options.log.warn({ lost }, 'events were dropped before they could be forwarded')
    }
    const batch = await nextBatch(store, this.mark.seq, what, this.#pacing.limits())
    if (!batch.ok) return batch
    if (!('none' in batch.value)) return this.#send(batch.value, signal)
    if (batch.value.none > this.mark.seq) this.mark = { ...this.mark, seq: batch.value.none }
    for await (const _rows of store.subscribe(this.mark.seq, signal)) return success(null)
    return success(null)
  }

  async #send(batch: Batch, signal: AbortSignal): Promise<Result<unknown>> {
    const waitMs = this.#pacing.waitMs(performance.now())
    if (waitMs > 0) await pause(waitMs, signal)
    if (signal.aborted) return success(null)
    this.#token = await this.#readToken()
    const startedAt = performance.now()
    const { body, bytes } = batch
    const request = {
      method: 'POST' as const,
      path: '/events',
      reply: ingestReply,
      body: { gzip: body, bytes },
    }
    const answer = await this.#hub.ask(request, signal)
    if (answer.ok) return this.#taken(batch, answer.value, startedAt)
    if (signal.aborted) return success(null)
    return this.#refused(batch, answer.trouble, signal)
  }

  async #taken(batch: Batch, reply: IngestReply, startedAt: number): Promise<Result<unknown>> {
    const { log } = this.#options
    const compressed = batch.body.length
    const refused = countRejected(reply, batch)
    const { lines: events, bytes, last: seq } = batch
    const why = refusalReason(reply)
    const moved = await this.#move({ seq, events: events - refused, bytes, compressed, refused, ...why })
    if (!moved.ok) return moved
    this.#pacing.recordAccepted({ ...batch, compressed, startedAt })
    this.#rate.add(events - refused, compressed)
    this.#lastAt = Date.now()
    if (refused > 0) log.warn({ refused, first: reply.rejected[0] }, 'the hub rejected events')
    if (this.#problem) log.info({ to: this.#hub.url.host }, 'forwarding resumed')
    this.#problem = null
    this.#attempts = 0
    return success(null)
  }

  async #refused(batch: Batch, trouble: Trouble, signal: AbortSignal): Promise<Result<unknown>> {
    const { log } = this.#options
    this.#retries += 1
    if (trouble.kind === 'too_large' || trouble.kind === 'invalid') {
      if (batch.lines > 1) {
        this.#pacing.halve(batch)
        return success(null)
      }
      // A body damaged in transit is refused too, so only repeated refusals mean that the event itself is
      // invalid.
      const { after, times } = this.#refusals
      this.#refusals = { after: this.mark.seq, times: after === this.mark.seq ? times + 1 : 1 }
      const isLarge = this.#lastAt !== null && batch.body.length > SMALL_BODY
      const isItsOwn = trouble.onTheWay !== true || isLarge
      if (this.#refusals.times > TRIES && isItsOwn) {
        log.warn({ seq: batch.last, reason: trouble.message }, 'the hub rejected an event')
        this.#attempts = 0
        const { message, next } = trouble
        return this.#move({ seq: batch.last, refused: 1, refused_why: { message, next, at: Date.now() } })
      }
    }
    const isSearched = trouble.failedAt === true && (this.#attempts >= TRIES || this.#pacing.isSearching())
    const isFound = isSearched && batch.lines === 1
    if (isSearched && batch.lines > 1) this.#pacing.search(batch)
    else this.#pacing.slowDown()
    this.#attempts += 1
    const at = Date.now()
    const { kind, next } = trouble
    const place = isFound ? `At the event ${batch.last} of this computer: ` : ''
    const message = `${place}${trouble.message}`
    if (this.#problem?.message !== message) log.warn({ kind }, message)
    this.#problem = { kind, message, next, at, since: this.#problem?.since ?? at }
    const ms = this.#backoff(trouble, this.#attempts)
    await (kind === 'token' ? this.#untilAnotherToken(ms, signal) : pause(ms, signal))
    return success(null)
  }

  /** Waits, but returns at once when the token was replaced, also when that happened during the request. */
  async #untilAnotherToken(ms: number, signal: AbortSignal): Promise<void> {
    for (let left = ms; left > 0 && !signal.aborted; left -= this.#times.lookMs) {
      await pause(Math.min(left, this.#times.lookMs), signal)
      if ((await this.#readToken()) !== this.#token) return
    }
  }

  async #readToken(): Promise<string | undefined> {
    const token = await this.#options.token()
    return token.ok ? token.value : undefined
  }

  /** Counts events that retention removed before they were sent. */
  async #overtaken(): Promise<number> {
    const head = await this.#options.store.head()
    return head.ok ? Math.max(0, head.value.first - 1 - this.mark.seq) : 0
  }

  async #move(
    by: Partial<ForwardMark> & { readonly seq: number },
    events: readonly NewEvent[] = [],
  ): Promise<Result<unknown>> {
    const { mark } = this
    const next: ForwardMark = {
      seq: by.seq,
      events: mark.events + (by.events ?? 0),
      bytes: mark.bytes + (by.bytes ?? 0),
      compressed: mark.compressed + (by.compressed ?? 0),
      refused: mark.refused + (by.refused ?? 0),
      refused_why: by.refused_why ?? mark.refused_why,
      lost: mark.lost + (by.lost ?? 0),
      lost_at: by.lost === undefined ? mark.lost_at : Date.now(),
    }
    const saved = await saveMark(this.#options.store, this.#hub.url, next, events)
    if (saved.ok) this.mark = next
    return saved
  }
}

/** The hub's list of rejections is bounded, its counts are not. */
const countRejected = ({ accepted, duplicates, rejected }: IngestReply, { lines }: Batch): number =>
  rejected.length === 0 ? 0 : Math.max(rejected.length, lines - accepted - duplicates)

/** Returns the hub's reason for the first event it rejected. */
function refusalReason({ rejected: [first] }: IngestReply): Pick<ForwardMark, 'refused_why'> | undefined {
  if (first === undefined) return undefined
  return { refused_why: { message: `${first.path}: ${first.reason}`, next: '', at: Date.now() } }
}

const unexpectedFailure = (error: unknown): Result<never> =>
  failure('io', `Forwarding failed: ${error instanceof Error ? error.message : error}`)
