import type { DatabaseSync } from 'node:sqlite'

/**
 * A commit is worth its cost once this many characters are held. Smaller changes are written after `MOST_MS`,
 * so that they become visible.
 */
const MOST_HELD = 8_388_608
const MOST_MS = 1_000

/** A writer of the shared transaction. Its uncommitted writes may be lost when another writer fails. */
export interface Owner {
  lost: boolean
}

/** One transaction for many writes. It commits when it is large, when it is old, and on request. */
export class Held {
  readonly #db: DatabaseSync
  readonly #owners = new Set<Owner>()
  readonly #undone: () => void
  #size = 0
  #since = 0

  constructor(db: DatabaseSync, undone: () => void) {
    this.#db = db
    this.#undone = undone
  }

  write(owner: Owner, size: number, work: () => void): void {
    if (this.#owners.size === 0) {
      this.#db.exec('BEGIN IMMEDIATE')
      this.#since = performance.now()
    }
    this.#owners.add(owner)
    this.#orUndone(work)
    this.#size += size
    if (this.#size >= MOST_HELD || performance.now() - this.#since >= MOST_MS) this.commit()
  }

  commit(): void {
    if (this.#owners.size === 0) return
    this.#orUndone(() => this.#db.exec('COMMIT'))
    this.#owners.clear()
    this.#size = 0
  }

  /** Rolls back the whole transaction when the work fails. */
  #orUndone(work: () => void): void {
    try {
      work()
    } catch (error) {
      for (const owner of this.#owners) owner.lost = true
      this.#owners.clear()
      this.#size = 0
      this.#undone()
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }
}
