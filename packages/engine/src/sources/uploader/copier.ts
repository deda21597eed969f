import { randomUUID } from 'node:crypto'
import type { Failure, TranscriptChange } from '@panoptes/schema'
import { Pace } from '../pace.ts'
import type { Listed, SessionSource } from '../port.ts'
import type { Batch, Looked } from './calls.ts'
import { Remembered, type Told } from './remembered.ts'
import { canBeTold, tell, toldFingerprint } from './tell.ts'

/** What goes out at a time, in characters; a single line may be larger. */
const MOST_HELD = 1_048_576
/** A session that keeps changing is told again after many times as long as that takes, but not later than this. */
const MOST_REST_MS = 300_000

type Waiting =
  | { readonly source: SessionSource; readonly listed: Listed }
  | { readonly drop: TranscriptChange }

/** Tells what changed in the sources, one session after the other; the newest first, as sources list them. */
export class Copier {
  readonly #sources: ReadonlyMap<string, SessionSource>
  readonly #isForgotten: (source: string, id: string) => boolean
  readonly #pace = new Pace(undefined, MOST_REST_MS)
  /** What the receiver did not take, and as what. */
  readonly #refused = new Map<string, string>()
  /** As what sessions of this look were told. */
  readonly #listed = new Map<string, string>()
  readonly #remembered = new Remembered()
  /** Those that it makes no sense to go on with. */
  readonly #missed = new Set<string>()
  readonly #stop = new AbortController()
  /** Those that were given out to their end last, and what it took to read them. */
  #given: { readonly at: number; readonly sessions: readonly Read[] } | undefined
  #waiting: Waiting[] = []
  #lines: AsyncGenerator<Step> | undefined

  constructor(
    sources: readonly SessionSource[],
    isForgotten: (source: string, id: string) => boolean = () => false,
  ) {
    this.#sources = new Map(sources.map((source) => [source.name, source]))
    this.#isForgotten = isForgotten
  }

  /** From here on this source is told, and nothing of what was looked at before. */
  async look(
    name: string,
    known: ReadonlyMap<string, string>,
    patient: boolean,
    signal: AbortSignal,
  ): Promise<Looked> {
    await this.#lines?.return(undefined)
    this.#lines = undefined
    this.#waiting = []
    const source = this.#sources.get(name)
    const changed: Waiting[] = []
    const waits: number[] = []
    let problem: Failure | null = null
    for await (const record of source?.list(signal) ?? []) {
      if (record.kind === 'failed') {
        problem ??= record.failure
        continue
      }
      if (!canBeTold(record.id) || this.#isForgotten(name, record.id)) continue
      const fingerprint = toldFingerprint(record.fingerprint)
      if (known.get(record.id) === fingerprint) continue
      if (this.#refused.get(keyOf(name, record.id)) === fingerprint) continue
      const wait = patient ? this.#pace.remainingMs(keyOf(name, record.id)) : 0
      if (wait > 0) waits.push(wait)
      else if (source) changed.push({ source, listed: record })
    }
    // The receiver keeps what an agent deleted. Only forgetting a session removes it there.
    const forgotten = [...known.keys()].filter((id) => this.#isForgotten(name, id))
    this.#waiting = [
      ...forgotten.map((id) => ({ drop: { type: 'drop' as const, source: name, id } })),
      ...changed,
    ]
    return {
      changed: this.#waiting.length,
      again_ms: waits.length > 0 ? Math.min(...waits) : null,
      problem,
    }
  }

  /** Nothing when all of it was told. */
  async next(): Promise<Batch | null> {
    this.#settle()
    this.#lines ??= this.#tellAll()
    const read: Read[] = []
    const lines: string[] = []
    const sessions: { id: string; from: number }[] = []
    const told: { id: string; fingerprint: string | null }[] = []
    let held = 0
    let done = 0
    let problem: Failure | null = null
    while (held < MOST_HELD) {
      const { value, done: isOver } = await this.#lines.next()
      if (isOver || value === undefined) break
      if (value.line !== undefined) {
        if (sessions.at(-1)?.id !== value.id) sessions.push({ id: value.id, from: lines.length })
        lines.push(value.line)
        held += value.line.length
      }
      if (value.isDone) done += 1
      if (value.read) read.push(value.read)
      if (value.as !== undefined) told.push({ id: value.id, fingerprint: value.as })
      problem ??= value.problem ?? null
    }
    this.#given = { at: performance.now(), sessions: read }
    if (lines.length === 0 && done === 0) return null
    return { lines: lines.map((line) => `${line}\n`).join(''), sessions, told, done, problem }
  }

  refused(source: string, id: string): void {
    const key = keyOf(source, id)
    this.missed(source, id)
    const listed = this.#listed.get(key)
    if (listed !== undefined) this.#refused.set(key, listed)
  }

  /** The receiver did not get all of this one: it is told whole the next time. The answer is whether it was not. */
  missed(source: string, id: string): boolean {
    const key = keyOf(source, id)
    this.#missed.add(key)
    for (const read of this.#given?.sessions ?? []) if (read.key === key) read.told = undefined
    return this.#remembered.delete(key)
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Who asks for more has sent what he was given: that is a part of what telling them takes. */
  #settle(): void {
    const { at, sessions } = this.#given ?? { at: 0, sessions: [] }
    for (const { key, ms, told } of sessions) {
      this.#pace.took(key, ms + (performance.now() - at) / sessions.length)
      if (told) this.#remembered.set(key, told)
    }
    this.#given = undefined
  }

  async *#tellAll(): AsyncGenerator<Step> {
    this.#listed.clear()
    this.#missed.clear()
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if ('drop' in next) {
        yield { id: next.drop.id, line: JSON.stringify(next.drop), isDone: true, as: null }
        continue
      }
      const { source, listed } = next
      const key = keyOf(source.name, listed.id)
      if (this.#isForgotten(source.name, listed.id)) continue
      const fingerprint = toldFingerprint(listed.fingerprint)
      this.#listed.set(key, fingerprint)
      const since = performance.now()
      const before = this.#remembered.get(key)
      const now: Told = { telling: randomUUID(), hashes: [] }
      const lines = tell(source, listed, { before, now }, this.#stop.signal)
      let failed: Failure | undefined
      let isWhole = false
      for (;;) {
        const { value, done } = await lines.next()
        if (done) {
          failed = value
          isWhole = value === undefined
        }
        if (done || this.#missed.has(key)) break
        yield { id: listed.id, line: value }
      }
      await lines.return(undefined)
      const problem = failed?.code === 'not_found' ? undefined : failed
      const isTold = isWhole && !this.#missed.has(key)
      const read = { key, ms: performance.now() - since, told: isTold ? now : undefined }
      yield { id: listed.id, isDone: true, as: isTold ? fingerprint : undefined, read, problem }
      if (this.#stop.signal.aborted) return
    }
  }
}

interface Step {
  readonly id: string
  readonly line?: string
  readonly isDone?: boolean
  /** As what it was told; null where it was said to be gone. */
  readonly as?: string | null | undefined
  readonly read?: Read
  readonly problem?: Failure | undefined
}

interface Read {
  readonly key: string
  readonly ms: number
  /** What was told, where it came to its end. */
  told: Told | undefined
}

const keyOf = (source: string, id: string): string => `${source}\n${id}`
