import { Refused } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Connection, Database } from '../../postgres/database.ts'
import { sizeOf } from '../batches.ts'
import type { Owner } from '../held.ts'
import type { IndexBatch, IndexChange } from '../port.ts'
import { flush } from './flush.ts'
import { merge, toMerge } from './merge.ts'
import { Pending, type SessionRow } from './pending.ts'
import { type State, stateIn } from './state.ts'

/** What a commit costs is worth it for so many characters, and what they were is shown at the latest after so long. */
const MOST_HELD = 4_194_304
const MOST_MS = 1_000

type Answer = <T>(work: () => Promise<T>) => Promise<Result<T>>

/**
 * Whoever writes the index, one thing after the other. Changes are held in memory and written together. That another process has
 * written meanwhile is noticed before anything is: what was held then is lost, and what is there is read anew.
 */
export class IndexWriter {
  readonly #database: Database
  readonly #answer: Answer
  readonly #messagesAPart: number | undefined
  readonly #owners = new Set<Owner>()
  readonly #open = new Map<string, SessionRow>()
  #state: State | undefined
  #pending: Pending | undefined
  #size = 0
  #since = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(database: Database, answer: Answer, messagesAPart?: number) {
    this.#messagesAPart = messagesAPart
    this.#database = database
    this.#answer = answer
  }

  readonly batch = (): IndexBatch => {
    const owner: Owner = { lost: false }
    const unlessLost = (work: () => Promise<void>) =>
      this.#inTurn(async () => {
        if (owner.lost) throw new Error('what was to be written before could not be')
        await work()
        return null
      })
    return {
      add: (list) => unlessLost(() => this.#orLost(() => this.#add(owner, list))),
      end: () => unlessLost(() => this.#orLost(() => this.#commit())),
    }
  }

  commit(): Promise<Result<null>> {
    return this.#inTurn(() =>
      this.#orLost(async () => {
        await this.#commit()
        return null
      }),
    )
  }

  /** Writes what is held, and then does something else in a transaction that no other writer comes between. */
  alone<T>(work: (connection: Connection, state: State) => Promise<T>): Promise<Result<T>> {
    return this.#inTurn(() =>
      this.#orLost(async () => {
        await this.#commit()
        return this.#write(await this.#ready(), work)
      }),
    )
  }

  #inTurn<T>(work: () => Promise<T>): Promise<Result<T>> {
    const own = this.#turn.then(() => this.#answer(work))
    this.#turn = own
    return own
  }

  async #add(owner: Owner, list: readonly IndexChange[]): Promise<void> {
    if (list.length === 0) return
    const state = await this.#ready()
    if (this.#owners.size === 0) this.#since = performance.now()
    this.#owners.add(owner)
    this.#pending ??= new Pending(state, this.#open)
    this.#pending.write(list)
    this.#size += sizeOf(list)
    if (this.#size >= MOST_HELD || performance.now() - this.#since >= MOST_MS) await this.#commit()
  }

  async #ready(): Promise<State> {
    const isHeld = this.#pending !== undefined || this.#open.size > 0
    if (this.#state !== undefined && !isHeld) {
      const about = await this.#database.row('SELECT turn FROM index_about')
      if (about?.turn !== this.#state.turn) this.#state = undefined
    }
    this.#state ??= await this.#database.snapshot((connection) => stateIn(connection, this.#messagesAPart))
    return this.#state
  }

  async #commit(): Promise<void> {
    const pending = this.#pending
    if (pending !== undefined) {
      const state = await this.#ready()
      await this.#write(state, (connection) => flush(connection, state, pending))
      for (const row of pending.rows.values()) {
        row.isStored = true
        row.packs = []
      }
      this.#pending = undefined
      await this.#merge(state, pending.words.keys())
    }
    this.#owners.clear()
    this.#size = 0
  }

  async #merge(state: State, parts: Iterable<number>): Promise<void> {
    for (const part of parts)
      for (let segments = toMerge(state, part); segments.length > 0; segments = toMerge(state, part))
        await this.#write(state, (connection) => merge(connection, state, part, segments))
  }

  async #write<T>(state: State, work: (connection: Connection, state: State) => Promise<T>): Promise<T> {
    const done = await this.#database.transaction(async (connection) => {
      const taken = await connection.run(
        'UPDATE index_about SET turn = turn + 1, last = $2 WHERE turn = $1',
        [state.turn, state.last],
      )
      if (taken === 0)
        throw new Refused(
          failure('busy', 'Another hub has written the index of sessions meanwhile. Try again in a moment.'),
        )
      return work(connection, state)
    })
    state.turn += 1
    return done
  }

  /** A failure takes all with it that is held. */
  async #orLost<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      for (const owner of this.#owners) owner.lost = true
      this.#owners.clear()
      this.#size = 0
      this.#open.clear()
      this.#pending = undefined
      this.#state = undefined
      throw error
    }
  }
}
