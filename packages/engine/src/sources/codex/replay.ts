import { type Fields, toFields, toList, toText } from '../fields.ts'
import { textsIn } from './content.ts'
import type { Head } from './head.ts'
import { isInjected } from './injected-messages.ts'
import { type Line, rolloutLines } from './lines.ts'

/**
 * Lines copied in one go are written within moments of each other, whereas a model takes longer to answer.
 */
const PAUSE_MS = 1_000

/** Finds the thread that lines may have been copied from. */
export type FindRollout = (id: string) => string | undefined

/**
 * Separates the lines that a fork or sub-agent copied from its own. The copies come first, with new times,
 * and count in their original thread. Their end is found, in this order, by the number of the first own line,
 * by turn ids (which begin with their time of creation), by the lines of the original thread, and if that is
 * gone by the times of the lines.
 */
export class Replay {
  readonly #own: Head
  readonly #id: string
  readonly #find: FindRollout
  #state: 'copied' | 'unsure' | 'own'
  #source: Source | undefined
  #last: number | null = null
  /** True after the first own line, because no copies follow it. */
  #begun = false

  constructor(id: string, own: Head, find: FindRollout) {
    this.#own = own
    this.#id = own.id ?? id
    this.#find = find
    const alone = own.pointsBack || (own.forkedFrom === null && own.parent === null)
    this.#state = alone ? 'own' : own.forkedFrom === null ? 'unsure' : 'copied'
  }

  /** Decides whether a line is a copy. It is not called for the first line of the rollout. */
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

  /** A copy begins with the head of another thread. Further down, a head would only repeat known data. */
  #isForeignHead({ type, payload }: Line): boolean {
    const id = toText(payload.id)
    if (type !== 'session_meta' || id === null || id === this.#id) return false
    if (this.#begun || this.#own.pointsBack) return true
    this.#state = 'copied'
    this.#source ??= this.#open(id)
    return true
  }

  async #judge(line: Line): Promise<boolean | undefined> {
    if (this.#own.ownFrom !== null && line.ordinal !== null) return line.ordinal < this.#own.ownFrom
    const turn = toText(line.payload.turn_id) ?? toText(passedOn(line).turn_id)
    const before = madeBefore(turn, this.#id)
    if (before !== undefined) return before
    const words = lineWords(line)
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

const passedOn = ({ payload }: Line) => toFields(payload.internal_chat_message_metadata_passthrough)

/** Reads the original thread along: a copy may leave lines out but keeps their order. */
class Source {
  readonly #lines: AsyncGenerator<unknown>
  readonly #until: number | null
  #first: number | null = null
  #over = false

  constructor(path: string, until: number | null) {
    this.#lines = rolloutLines(path)
    this.#until = until
  }

  /** Returns whether the line is among those after the last match. */
  async has(words: string): Promise<boolean> {
    while (!this.#over) {
      const line = await this.#next()
      if (line !== undefined && lineWords(line) === words) return true
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
    // Lines written after the fork cannot have been copied, unless the clocks are wrong.
    const late = this.#until !== null && (this.#first ?? this.#until) < this.#until
    if (done || (late && (line?.ts ?? 0) > (this.#until ?? 0))) this.#over = true
    return this.#over ? undefined : line
  }
}

const VERSION_7 = /^([0-9a-f]{8}-[0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Compares the creation times inside two ids. Undefined when the ids contain no time. */
function madeBefore(one: string | null, other: string | null): boolean | undefined {
  const [first, second] = [timeIn(one), timeIn(other)]
  if (first === undefined || second === undefined || first === second) return undefined
  return first < second
}

const timeIn = (id: string | null): string | undefined => VERSION_7.exec(id ?? '')?.[1]?.toLowerCase()

/**
 * Reduces a line to a few words that identify its copies: a copy has another time, and another version may
 * write other fields. Undefined for lines that all threads have in common.
 */
function lineWords({ type, payload }: Line): string | undefined {
  if (type === 'response_item') return itemWords(payload)
  if (type === 'compacted') return joined('compacted', toText(payload.message))
  if (type === 'token_usage_record') return joined('usage', toText(payload.response_id))
  if (type !== 'event_msg') return undefined
  if (payload.type === 'token_count') {
    const total = toFields(payload.info).total_token_usage
    return total === undefined ? undefined : joined('tokens', JSON.stringify(total))
  }
  return joined('event', toText(payload.type), toText(payload.message) ?? toText(payload.text))
}

function itemWords(item: Fields): string | undefined {
  const kind = toText(item.type)
  const call = toText(item.call_id)
  if (call !== null) return joined(kind, call, toText(item.name))
  if (kind === 'message') {
    if (item.role === 'developer' || isInjected(item)) return undefined
    return joined(kind, toText(item.role), textsIn(item.content).join('\n'))
  }
  if (kind === 'reasoning')
    return joined(kind, toText(item.encrypted_content) ?? toList(item.summary).map(summaryText).join('\n'))
  return joined(kind, JSON.stringify(item.action ?? item.id ?? null))
}

const summaryText = (part: unknown): string => toText(toFields(part).text) ?? ''

/** Returns undefined when there is no text besides the kind. */
const joined = (kind: string | null, ...words: readonly (string | null)[]): string | undefined =>
  words.every((word) => word === null || word === '') ? undefined : [kind, ...words].join('\u0001')
