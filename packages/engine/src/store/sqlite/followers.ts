import type { Result } from '@panoptes/schema'
import type { EventRow } from '../port.ts'
import { RecentRows } from '../recent-rows.ts'
import { Wakeups } from '../wakeups.ts'

const PAGE = 1_000

interface Log {
  /** Returns the seq of the last event, or undefined once the store is closed. */
  readonly last: () => number | undefined
  readonly page: (after: number, limit: number) => Promise<Result<{ readonly rows: readonly EventRow[] }>>
}

/** Delivers appended rows to subscribers: the newest from memory, older ones from the file. */
export class Followers {
  readonly #log: Log
  readonly #recent = new RecentRows()
  readonly #wakeups = new Wakeups()
  #count = 0

  constructor(log: Log) {
    this.#log = log
  }

  async *follow(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    this.#count += 1
    try {
      yield* this.#rows(after, signal)
    } finally {
      this.#count -= 1
      if (this.#count === 0) this.forget()
    }
  }

  /** Remembers lines that were stored from a seq on, without the duplicates among them. */
  remember(lines: readonly string[], duplicates: ReadonlySet<number>, first: number): void {
    if (this.#count === 0) return
    let seq = first
    lines.forEach((line, i) => {
      if (duplicates.has(i)) return
      this.#recent.push({ seq, json: `{"seq":${seq},${line.slice(1)}` })
      seq += 1
    })
  }

  /** Drops the rows in memory because they are out of date. */
  forget(): void {
    this.#recent.clear()
  }

  wake(): void {
    this.#wakeups.wake()
  }

  async *#rows(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    let at = after
    while (!signal.aborted) {
      const last = this.#log.last()
      if (last === undefined) return
      if (at >= last) {
        await this.#wakeups.next(signal)
        continue
      }
      const rows = this.#recent.readAfter(at, PAGE) ?? (await this.#page(at))
      if (rows === undefined || signal.aborted) return
      // If no rows come back, everything that follows was forgotten.
      at = rows.at(-1)?.seq ?? last
      if (rows.length > 0) yield rows
    }
  }

  async #page(after: number): Promise<readonly EventRow[] | undefined> {
    const page = await this.#log.page(after, PAGE)
    return page.ok ? page.value.rows : undefined
  }
}
