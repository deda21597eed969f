/** After a read, a session rests for this multiple of the read's duration, up to this maximum. */
const REST = 49
const MOST_MS = 60_000

/**
 * Limits how often a growing session is re-read. A session that is being written changes all the time, and
 * re-reading a large one on every change would take all the time there is.
 */
export class Pace {
  readonly #due = new Map<string, number>()
  readonly #now: () => number
  readonly #mostMs: number

  constructor(now: () => number = () => performance.now(), mostMs = MOST_MS) {
    this.#now = now
    this.#mostMs = mostMs
  }

  /** Returns the milliseconds until this session may be read again. */
  remainingMs(id: string): number {
    const left = (this.#due.get(id) ?? 0) - this.#now()
    if (left > 0) return left
    this.#due.delete(id)
    return 0
  }

  took(id: string, ms: number): void {
    const now = this.#now()
    this.#due.delete(id)
    this.#due.set(id, now + Math.min(this.#mostMs, ms * REST))
    // Most sessions are read once and never again, so expired entries are removed in the order of reading. An
    // entry that still waits delays the removal of later ones only until it expires.
    for (const [other, due] of this.#due) {
      if (due > now) return
      this.#due.delete(other)
    }
  }

  /** The number of remembered sessions. */
  get size(): number {
    return this.#due.size
  }
}
