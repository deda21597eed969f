import type { Row } from '../../postgres/database.ts'
import { MESSAGES_A_PART } from '../parts.ts'

interface Segment {
  readonly segment: number
  readonly tokens: number
}

interface Part {
  readonly number: number
  messages: number
  sessions: number
  newest: number
  /** Above zero where the older sessions came first, below where the newer did. */
  rising: number
  torn: boolean
  /** All messages and words that were ever added. */
  rows: number
  tokens: number
  /** When the session that came before was last active. */
  last: number | null
  segments: readonly Segment[]
  nextSegment: number
}

/** Parts as SQLite's engine makes them, so that both rank alike; written down when the changes are that they come from. */
export class PostgresParts {
  readonly #parts = new Map<number, Part>()
  readonly #changed = new Set<number>()
  readonly #gone = new Set<number>()
  readonly #size: number
  #last: number | undefined

  constructor(parts: readonly Row[], segments: readonly Row[], size = MESSAGES_A_PART) {
    this.#size = size
    for (const { number, newest, rising, torn, rows, tokens } of parts)
      this.#parts.set(Number(number), {
        ...nothingIn(Number(number)),
        newest: Number(newest),
        rising: Number(rising),
        torn: torn === true,
        rows: Number(rows),
        tokens: Number(tokens),
      })
    for (const { part, segment, tokens } of segments)
      this.addSegment(Number(part), { segment: Number(segment), tokens: Number(tokens) })
  }

  /** A session that is in it. */
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

  /** Where the next session goes. */
  next(): number {
    const last = this.#last ?? Math.max(0, ...this.#parts.keys())
    if (last > 0 && this.of(last).messages < this.#size) {
      this.#last = last
    } else {
      this.#last = last + 1
      this.#parts.set(this.#last, nothingIn(this.#last))
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

  /** A session of it was told to its end. */
  ended(number: number, at: number | null): void {
    if (at === null) return
    const part = this.of(number)
    part.newest = Math.max(part.newest, at)
    part.rising += Math.sign(at - (part.last ?? at))
    part.last = at
    this.#changed.add(number)
  }

  /** A session is not in it any more; a part that none is in is gone. Answers whether it is. */
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

  /** These became one. */
  merged(number: number, merged: readonly number[], segment: Segment): void {
    const part = this.of(number)
    part.segments = part.segments.filter((each) => !merged.includes(each.segment))
    this.addSegment(number, segment)
  }

  get torn(): readonly number[] {
    return [...this.#parts.values()].filter(({ torn }) => torn).map(({ number }) => number)
  }

  /** What is to be written down since it last was. */
  takeChanges(): { readonly changed: readonly Part[]; readonly gone: readonly number[] } {
    const taken = { changed: [...this.#changed].map((number) => this.of(number)), gone: [...this.#gone] }
    this.#changed.clear()
    this.#gone.clear()
    return taken
  }
}

const nothingIn = (number: number): Part => ({
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
