import { redactRow } from '@panoptes/engine/redact'
import type { AchievementsReply, Failure } from '@panoptes/schema'
import { readSnapshot, writeJson } from './files.ts'

const SECOND_MS = 1_000
const IDS: ReadonlySet<string> = new Set(['id', 'session_id'])

/** A snapshot as it is stored; whether it is stale is determined on request. */
export type Snapshot = Omit<AchievementsReply, 'is_stale'>

/** The newest snapshot of one view, in memory and in a file. */
export class SnapshotStore {
  readonly #file: string | undefined
  readonly #now: () => number
  readonly #home: string | undefined
  #snapshot: Snapshot | undefined

  /** `home` is the home of Hermes whose sessions it covers. */
  constructor(file: string | undefined, now: () => number = Date.now, home?: string) {
    this.#file = file
    this.#now = now
    this.#home = home
    this.#snapshot = file === undefined ? undefined : readSnapshot(file, home)
    this.#clean()
  }

  /** A file of an older version may contain secrets in titles and may not be rewritten for long. */
  #clean(): void {
    if (this.#snapshot === undefined) return
    const clean = redactRow(this.#snapshot, IDS) as Snapshot
    if (clean !== this.#snapshot) this.set(clean)
  }

  get(): Snapshot | undefined {
    return this.#snapshot
  }

  /** The snapshot is valid even if the file cannot be written. */
  set(snapshot: Snapshot): Failure | undefined {
    this.#snapshot = snapshot
    const of = this.#home === undefined ? {} : { hermes_home: this.#home }
    return this.#file === undefined ? undefined : writeJson(this.#file, { ...snapshot, ...of })
  }

  /** Shows a snapshot without writing it. */
  note(snapshot: Snapshot): void {
    this.#snapshot = snapshot
  }

  clear(): void {
    this.#snapshot = undefined
  }

  /** A snapshot from the future was made with a wrong clock and is ignored. */
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
