import type { AchievementsReply } from '@panoptes/schema'
import { readSnapshot, writeJson } from './files.ts'

const SECOND_MS = 1_000

/** A snapshot as it is kept: whether it is stale is told when it is asked for. */
export type Snapshot = Omit<AchievementsReply, 'is_stale'>

/** The newest snapshot of one view, in memory and in a file. */
export class SnapshotStore {
  readonly #file: string | undefined
  readonly #now: () => number
  #snapshot: Snapshot | undefined

  constructor(file: string | undefined, now: () => number = Date.now) {
    this.#file = file
    this.#now = now
    this.#snapshot = file === undefined ? undefined : readSnapshot(file)
  }

  get(): Snapshot | undefined {
    return this.#snapshot
  }

  /** What is of some sessions only is shown, and not kept. */
  set(snapshot: Snapshot): void {
    this.#snapshot = snapshot
    const { mode } = snapshot.scan_meta
    if (this.#file !== undefined && (mode === 'full' || mode === 'incremental'))
      writeJson(this.#file, snapshot)
  }

  clear(): void {
    this.#snapshot = undefined
  }

  isStale(ttlSeconds: number): boolean {
    const age = this.ageSeconds()
    return age === undefined || age > ttlSeconds
  }

  ageSeconds(): number | undefined {
    if (this.#snapshot === undefined) return undefined
    return Math.max(0, this.#now() / SECOND_MS - this.#snapshot.generated_at)
  }
}
