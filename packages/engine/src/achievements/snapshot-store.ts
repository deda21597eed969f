import type { AchievementsReply, Failure } from '@panoptes/schema'
import { readSnapshot, writeJson } from './files.ts'

const SECOND_MS = 1_000

/** A snapshot as it is kept: whether it is stale is told when it is asked for. */
export type Snapshot = Omit<AchievementsReply, 'is_stale'>

/** The newest snapshot of one view, in memory and in a file. */
export class SnapshotStore {
  readonly #file: string | undefined
  readonly #now: () => number
  readonly #home: string | undefined
  #snapshot: Snapshot | undefined

  /** `home`: that of Hermes, whose sessions are in it. */
  constructor(file: string | undefined, now: () => number = Date.now, home?: string) {
    this.#file = file
    this.#now = now
    this.#home = home
    this.#snapshot = file === undefined ? undefined : readSnapshot(file, home)
  }

  get(): Snapshot | undefined {
    return this.#snapshot
  }

  /** It counts from here on, also where the file cannot be written. */
  set(snapshot: Snapshot): Failure | undefined {
    this.#snapshot = snapshot
    const of = this.#home === undefined ? {} : { hermes_home: this.#home }
    return this.#file === undefined ? undefined : writeJson(this.#file, { ...snapshot, ...of })
  }

  /** Shows what is not in the file. */
  note(snapshot: Snapshot): void {
    this.#snapshot = snapshot
  }

  clear(): void {
    this.#snapshot = undefined
  }

  /** One from the future was made by a clock that went wrong, and is as good as none. */
  isStale(ttlSeconds: number): boolean {
    if (this.#snapshot === undefined) return true
    const age = this.#now() / SECOND_MS - this.#snapshot.generated_at
    return age > ttlSeconds || age < -ttlSeconds
  }

  ageSeconds(): number | undefined {
    if (this.#snapshot === undefined) return undefined
    return Math.max(0, this.#now() / SECOND_MS - this.#snapshot.generated_at)
  }
}
