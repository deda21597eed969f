import { fieldsOf, textOf } from '../fields.ts'
import type { Head } from './head.ts'
import { type Line, rolloutLines } from './lines.ts'
import { wordsOf } from './same.ts'
import { madeBefore } from './turn-time.ts'

/** Lines that are copied at once are written within moments of each other; a model takes longer to answer. */
const PAUSE_MS = 1_000

/** Where the thread is from which lines may have been copied. */
export type FindRollout = (id: string) => string | undefined

/**
 * Tells the lines that a fork or a sub-agent copied from the thread before it from its own. The copies come first, with new times,
 * and count in the thread they are of. What says where they end, in this order: the number of the first own line, the ids of turns
 * (they begin with the time they were made), the lines of the other thread, and where that is gone the times of the lines.
 */
export class Replay {
  readonly #own: Head
  readonly #id: string
  readonly #find: FindRollout
  #state: 'copied' | 'unsure' | 'own'
  #source: Source | undefined
  #last: number | null = null
  /** Own lines came: no copies follow them. */
  #begun = false

  constructor(id: string, own: Head, find: FindRollout) {
    this.#own = own
    this.#id = own.id ?? id
    this.#find = find
    const alone = own.pointsBack || (own.forkedFrom === null && own.parent === null)
    this.#state = alone ? 'own' : own.forkedFrom === null ? 'unsure' : 'copied'
  }

  /** Whether a line is a copy. The first line of the rollout is not asked for. */
  async isCopy(line: Line): Promise<boolean> {
    if (this.#isForeignHead(line)) return true
    if (this.#state !== 'own') {
      const verdict = await this.#judge(line)
      if (verdict !== undefined) this.#state = verdict ? 'copied' : 'own'
    }
    this.#last = line.ts ?? this.#last
    if (this.#state !== 'own') return this.#state === 'copied'
    if (!this.#begun) await this.end()
    this.#begun = true
    return false
  }

  async end(): Promise<void> {
    await this.#source?.end()
    this.#source = undefined
  }

  /** The head of another thread begins a copy of it; further down it would only repeat what is known. */
  #isForeignHead({ type, payload }: Line): boolean {
    const id = textOf(payload.id)
    if (type !== 'session_meta' || id === null || id === this.#id) return false
    if (this.#begun || this.#own.pointsBack) return true
    this.#state = 'copied'
    this.#source ??= this.#open(id)
    return true
  }

  async #judge(line: Line): Promise<boolean | undefined> {
    if (this.#own.ownFrom !== null && line.ordinal !== null) return line.ordinal < this.#own.ownFrom
    const turn = textOf(line.payload.turn_id) ?? textOf(passedOn(line).turn_id)
    const before = madeBefore(turn, this.#id)
    if (before !== undefined) return before
    const words = wordsOf(line)
    if (words === undefined) return undefined
    this.#source ??= this.#open()
    return this.#source === undefined ? this.#byTime(line) : this.#source.has(words)
  }

  #open(foreign?: string): Source | undefined {
    for (const id of [this.#own.forkedFrom, this.#own.parent, foreign ?? null]) {
      const path = id === null || id === this.#id ? undefined : this.#find(id)
      if (path !== undefined) return new Source(path, this.#own.startedAt)
    }
    return undefined
  }

  #byTime({ ts }: Line): boolean | undefined {
    if (this.#state === 'unsure') return false
    const since = this.#last ?? this.#own.startedAt
    if (ts === null || since === null) return undefined
    return ts - Math.max(since, this.#own.startedAt ?? since) < PAUSE_MS
  }
}

const passedOn = ({ payload }: Line) => fieldsOf(payload.internal_chat_message_metadata_passthrough)

/** The thread that lines were copied from, read along: a copy may leave lines out, but not change their order. */
class Source {
  readonly #lines: AsyncGenerator<unknown>
  readonly #until: number | null
  #first: number | null = null
  #over = false

  constructor(path: string, until: number | null) {
    this.#lines = rolloutLines(path)
    this.#until = until
  }

  /** Whether the line is among those that follow the one found before. */
  async has(words: string): Promise<boolean> {
    while (!this.#over) {
      const line = await this.#next()
      if (line !== undefined && wordsOf(line) === words) return true
    }
    return false
  }

  async end(): Promise<void> {
    this.#over = true
    await this.#lines.return(undefined)
  }

  async #next(): Promise<Line | undefined> {
    const { value, done } = await this.#lines.next().catch(() => ({ value: undefined, done: true }))
    const line = done || 'problem' in (value as object) ? undefined : (value as Line)
    this.#first ??= line?.ts ?? null
    // What was written after the fork cannot have been copied, unless the clocks say nonsense.
    const late = this.#until !== null && (this.#first ?? this.#until) < this.#until
    if (done || (late && (line?.ts ?? 0) > (this.#until ?? 0))) this.#over = true
    return this.#over ? undefined : line
  }
}
