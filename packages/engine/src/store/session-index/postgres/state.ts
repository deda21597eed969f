import type { Connection, Row } from '../../postgres/database.ts'
import { sessionKey } from '../changes.ts'
import { MESSAGES_A_PART } from '../parts.ts'

/** A stored session, complete or only begun. */
export interface StoredSession {
  readonly number: number
  readonly part: number
  /** Counts the messages that have indexed words. */
  worded: number
}

interface Named {
  begun?: StoredSession | undefined
  complete?: StoredSession | undefined
}

/** The contents of the index as the writing process remembers them. */
export interface State {
  turn: number
  /** The last session number that was assigned. */
  last: number
  readonly named: Map<string, Named>
  /** The numbers of all stored sessions. */
  readonly live: Set<number>
  readonly parts: PostgresParts
}

export async function readState({ row, rows }: Connection, messagesAPart?: number): Promise<State> {
  const about = await row('SELECT turn, last FROM index_about')
  const parts = new PostgresParts(
    await rows('SELECT number, newest, rising, torn, rows, tokens FROM index_parts'),
    await rows('SELECT part, segment, tokens FROM index_segments ORDER BY part, segment'),
    messagesAPart,
  )
  const named = new Map<string, Named>()
  const live = new Set<number>()
  for (const each of await rows(
    'SELECT number, source, id, part, worded, fingerprint IS NULL AS begun FROM index_sessions',
  )) {
    const stored = { number: Number(each.number), part: Number(each.part), worded: Number(each.worded) }
    const name = sessionKey(String(each.source), String(each.id))
    const own = named.get(name) ?? {}
    named.set(name, own)
    own[each.begun === true ? 'begun' : 'complete'] = stored
    live.add(stored.number)
    parts.found(stored.part, stored.worded)
  }
  return { turn: Number(about?.turn), last: Number(about?.last), named, live, parts }
}

interface Segment {
  readonly segment: number
  readonly tokens: number
}

interface Part {
  readonly number: number
  messages: number
  sessions: number
  newest: number
  /** Above zero when older sessions came first, below zero when newer ones did. */
  rising: number
  torn: boolean
  /** All messages and words that were ever added. */
  rows: number
  tokens: number
  /** The previous session was last active at this time. */
  last: number | null
  segments: readonly Segment[]
  nextSegment: number
}

/**
 * Divides the index into the same parts as the SQLite engine, so that both rank alike. Changes to parts are
 * stored along with the changes that caused them.
 */
class PostgresParts {
  readonly #parts = new Map<number, Part>()
  readonly #changed = new Set<number>()
  readonly #gone = new Set<number>()
  readonly #size: number
  #last: number | undefined

  constructor(parts: readonly Row[], segments: readonly Row[], size = MESSAGES_A_PART) {
    this.#size = size
    for (const { number, newest, rising, torn, rows, tokens } of parts)
      this.#parts.set(Number(number), {
        ...createPart(Number(number)),
        newest: Number(newest),
        rising: Number(rising),
        torn: torn === true,
        rows: Number(rows),
        tokens: Number(tokens),
      })
    for (const { part, segment, tokens } of segments)
      this.addSegment(Number(part), { segment: Number(segment), tokens: Number(tokens) })
  }

  /** Records a session that is in the part. */
  found(number: number, worded: number): void {
    const part = this.of(number)
    part.messages += worded
    part.sessions += 1
  }

  of(number: number): Part {
    const part = this.#parts.get(number)
    if (part === undefined) throw new Error(`the index has no part ${number}`)
    return part
  }

  /** Returns the part that the next session goes to. */
  next(): number {
    const last = this.#last ?? Math.max(0, ...this.#parts.keys())
    if (last > 0 && this.of(last).messages < this.#size) {
      this.#last = last
    } else {
      this.#last = last + 1
      this.#parts.set(this.#last, createPart(this.#last))
      this.#changed.add(this.#last)
    }
    this.of(this.#last).sessions += 1
    return this.#last
  }

  add(number: number, tokens: number): void {
    const part = this.of(number)
    part.messages += 1
    part.rows += 1
    part.tokens += tokens
    this.#changed.add(number)
  }

  /** A session of this part was completed. */
  ended(number: number, at: number | null): void {
    if (at === null) return
    const part = this.of(number)
    part.newest = Math.max(part.newest, at)
    part.rising += Math.sign(at - (part.last ?? at))
    part.last = at
    this.#changed.add(number)
  }

  /** Removes a session from the part. A part without sessions is deleted; the result tells whether it was. */
  drop(number: number, worded: number): boolean {
    const part = this.of(number)
    part.messages -= worded
    part.sessions -= 1
    if (part.messages > 0 || number === this.#last || part.sessions > 0) {
      if (worded > 0) part.torn = true
      this.#changed.add(number)
      return false
    }
    this.#parts.delete(number)
    this.#changed.delete(number)
    this.#gone.add(number)
    this.#last = undefined
    return true
  }

  addSegment(number: number, segment: Segment): void {
    const part = this.of(number)
    part.segments = [...part.segments, segment]
    part.nextSegment = segment.segment + 1
  }

  /** Records that these segments were merged into one. */
  recordMerge(number: number, merged: readonly number[], segment: Segment): void {
    const part = this.of(number)
    part.segments = part.segments.filter((each) => !merged.includes(each.segment))
    this.addSegment(number, segment)
  }

  get tornParts(): readonly number[] {
    return [...this.#parts.values()].filter(({ torn }) => torn).map(({ number }) => number)
  }

  /** Returns the changes to store since the last call. */
  takeChanges(): { readonly changed: readonly Part[]; readonly gone: readonly number[] } {
    const taken = { changed: [...this.#changed].map((number) => this.of(number)), gone: [...this.#gone] }
    this.#changed.clear()
    this.#gone.clear()
    return taken
  }
}

const createPart = (number: number): Part => ({
  number,
  messages: 0,
  sessions: 0,
  newest: 0,
  rising: 0,
  torn: false,
  rows: 0,
  tokens: 0,
  last: null,
  segments: [],
  nextSegment: 1,
})
