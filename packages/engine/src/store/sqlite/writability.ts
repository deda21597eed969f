import { accessSync, constants, statfsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Refused } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { inTransaction } from './statements.ts'

/** A disk that was found full still counts as full while it has less free space than this. */
const LITTLE_SPACE = 1_048_576

/**
 * Changes a value each time, because SQLite writes no page for an unchanged row, and such a commit always
 * succeeds.
 */
const PROBE = `INSERT INTO meta VALUES ('write_probe', 0) ON CONFLICT (name) DO UPDATE SET value = 1 - value`

/** These failures mean that the place is unusable; all others concern the data. */
const OF_THE_PLACE: ReadonlySet<Failure['code']> = new Set([
  'disk_full',
  'read_only',
  'gone',
  'corrupt',
  'io',
])

/** Tells whether an append would be stored now. It writes to find out only when something seems wrong. */
export class Writability {
  readonly #file: string
  #failure: Failure | undefined

  constructor(file: string) {
    this.#file = file
  }

  recordSuccess(): void {
    this.#failure = undefined
  }

  recordFailure(failure: Failure): Failure {
    if (OF_THE_PLACE.has(failure.code)) this.#failure = failure
    return failure
  }

  /** Throws the error that an append would fail with. */
  check(db: DatabaseSync): void {
    const hasLittleSpace = freeBytes(this.#file) < LITTLE_SPACE
    if (this.#failure?.code === 'disk_full' && hasLittleSpace) throw new Refused(this.#failure)
    if (this.#failure === undefined && !hasLittleSpace && mayWrite(this.#file)) return
    inTransaction(db, () => db.exec(PROBE))
    this.#failure = undefined
  }
}

function freeBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(file)
    return bavail * bsize
  } catch {
    return 0
  }
}

function mayWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}
