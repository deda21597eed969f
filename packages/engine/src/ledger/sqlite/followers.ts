import type { Result } from '@panoptes/schema'
import type { EventRow } from '../port.ts'
import { RecentRows } from '../recent-rows.ts'
import { Wakers } from '../wakers.ts'

const PAGE = 1_000

interface Log {
  /** The number of its last event; undefined once it is closed. */
  readonly last: () => number | undefined
  readonly page: (after: number, limit: number) => Promise<Result<{ readonly rows: readonly EventRow[] }>>
}

/** Those who are told what is appended: the newest from memory, what is older from the file. */
export class Followers {
  readonly #log: Log
  readonly #recent = new RecentRows()
  readonly #wakers = new Wakers()
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

  /** Lines that were written from a number on, but for those of them that were known. */
  remember(lines: readonly string[], known: ReadonlySet<number>, first: number): void {
    if (this.#count === 0) return
    let seq = first
    lines.forEach((line, i) => {
      if (known.has(i)) return
      this.#recent.push({ seq, json: `{"seq":${seq},${line.slice(1)}` })
      seq += 1
    })
  }

  /** What is in memory is not the last word any more. */
  forget(): void {
    this.#recent.clear()
  }

  wake(): void {
    this.#wakers.wake()
  }

  async *#rows(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]> {
    let at = after
    while (!signal.aborted) {
      const last = this.#log.last()
      if (last === undefined) return
      if (at >= last) {
        await this.#wakers.next(signal)
        continue
      }
      const rows = this.#recent.after(at, PAGE) ?? (await this.#page(at))
      if (rows === undefined || signal.aborted) return
      // Where nothing comes all that follows was forgotten.
      at = rows.at(-1)?.seq ?? last
      if (rows.length > 0) yield rows
    }
  }

  async #page(after: number): Promise<readonly EventRow[] | undefined> {
    const page = await this.#log.page(after, PAGE)
    return page.ok ? page.value.rows : undefined
  }
}
