/** So many times as long as it took to read a session it is left alone, but not longer than this. */
const REST = 9
const MOST_MS = 30_000

/**
 * A session that is being written changes all the time, and where it takes long to read it, doing so each time would be all that is
 * done. So most of the time goes by between two reads of it.
 */
export class Pace {
  readonly #due = new Map<string, number>()
  readonly #now: () => number
  readonly #mostMs: number

  constructor(now: () => number = () => performance.now(), mostMs = MOST_MS) {
    this.#now = now
    this.#mostMs = mostMs
  }

  /** Milliseconds until this one is to be read again. */
  waitOf(id: string): number {
    const left = (this.#due.get(id) ?? 0) - this.#now()
    if (left > 0) return left
    this.#due.delete(id)
    return 0
  }

  took(id: string, ms: number): void {
    const now = this.#now()
    this.#due.delete(id)
    this.#due.set(id, now + Math.min(this.#mostMs, ms * REST))
    // Most sessions are read once and never again. In the order in which they were read, whoever still waits holds up the rest for no longer than he waits.
    for (const [other, due] of this.#due) {
      if (due > now) return
      this.#due.delete(other)
    }
  }

  /** How many are remembered. */
  get size(): number {
    return this.#due.size
  }
}
