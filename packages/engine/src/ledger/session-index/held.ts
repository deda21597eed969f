import type { DatabaseSync } from 'node:sqlite'

/** What a commit costs is worth it for so many characters, and what they were is shown at the latest after so long. */
const MOST_HELD = 8_388_608
const MOST_MS = 1_000

/** Those who write. What they wrote and was not committed may be lost with what another one wrote. */
export interface Owner {
  lost: boolean
}

/** One transaction for many writes. It is committed when much is in it, when it is old, and when it is asked for. */
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

  /** A failure takes the whole transaction with it. */
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
