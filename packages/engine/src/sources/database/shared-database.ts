import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises'
import { isLock, isPassing } from './failures.ts'
import { type Opened, openReadOnly } from './open.ts'

/** No read is held longer: a writer in rollback mode waits for it, and so does whatever else runs on this thread. */
const SLICE_MS = 15
const PAUSE_MS = 50
const MOST_RETRIES = 3
const MOST_LOCKED = 100
/** A connection that is open keeps a writer from tidying up when it closes. */
const IDLE_MS = 20

/** Says when it is time to let go. */
export type Clock = () => boolean

/** A database that another program writes to, read in slices. Between them nothing is held but an open file, and that not for long. */
export class SharedDatabase<Statements> {
  readonly path: string
  readonly #statementsOf: (db: DatabaseSync) => Statements | undefined
  #opened: Opened<Statements> | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #idleMs: number
  readonly #isOurs: boolean
  readonly #mostLocked: number
  #turn = 0

  /**
   * `idleMs`: what is done between two slices may take longer than usual. `isOurs`: this process may be the one that writes.
   * `mostLocked`: how often a locked database is tried again.
   */
  constructor(
    path: string,
    statementsOf: (db: DatabaseSync) => Statements | undefined,
    { idleMs = IDLE_MS, isOurs = false, mostLocked = MOST_LOCKED } = {},
  ) {
    this.path = path
    this.#idleMs = idleMs
    this.#isOurs = isOurs
    this.#mostLocked = mostLocked
    this.#statementsOf = statementsOf
  }

  /** Does a short piece of work; again from its beginning when a writer got in the way. Throws what does not pass. */
  async slice<T>(work: (statements: Statements | undefined, over: Clock) => T): Promise<T> {
    for (let retries = 0, locked = 0; ; ) {
      await this.#giveWay()
      try {
        const opened = this.#ready()
        const end = performance.now() + SLICE_MS
        const value = opened.within(() => work(opened.statements, () => performance.now() > end))
        if (opened.holds()) {
          this.#rest()
          return value
        }
        this.close()
        if (++retries > MOST_LOCKED) throw new Error('it changes all the while')
      } catch (error) {
        this.close()
        if (isLock(error) ? ++locked > this.#mostLocked : !isPassing(error) || ++retries > MOST_RETRIES)
          throw error
        await delay(PAUSE_MS)
      }
    }
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#idle = undefined
    this.#opened?.close()
    this.#opened = undefined
  }

  #ready(): Opened<Statements> {
    this.#opened ??= openReadOnly(this.path, this.#statementsOf, this.#isOurs)
    return this.#opened
  }

  /** Slices may follow each other at once: whatever else runs on this thread has its turn in between. */
  async #giveWay(): Promise<void> {
    if (performance.now() - this.#turn < SLICE_MS) return
    await breathe()
    this.#turn = performance.now()
  }

  #rest(): void {
    if (this.#idle !== undefined) {
      this.#idle.refresh()
      return
    }
    this.#idle = setTimeout(() => this.close(), this.#idleMs)
    this.#idle.unref()
  }
}
