import { existsSync, rmSync } from 'node:fs'
import type { Scanner } from './scanner.ts'

const EVERY_MS = 30_000

/** Writes the checkpoint of one scope: at the end of a scan and while it goes on, but not more often than every thirty seconds. */
export class CheckpointKeeper {
  /** It moves when everything is counted anew. */
  scope: string
  readonly database: string
  readonly file: string | undefined
  readonly #scanner: Scanner
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined
  #written = Number.NEGATIVE_INFINITY
  #writing: Promise<unknown> = Promise.resolve()

  constructor(
    scanner: Scanner,
    {
      scope,
      database,
      file,
    }: { readonly scope: string; readonly database: string; readonly file: string | undefined },
    everyMs = EVERY_MS,
  ) {
    this.#scanner = scanner
    this.scope = scope
    this.database = database
    this.file = file
    this.#everyMs = everyMs
  }

  /** Something is known that is not in the file. */
  changed(): void {
    if (this.file !== undefined) this.#timer ??= setTimeout(() => this.#write(), this.#everyMs).unref()
  }

  /** A scan is over. */
  async ended(): Promise<void> {
    if (this.#timer === undefined || performance.now() < this.#written + this.#everyMs) return
    await this.#write()
  }

  /** Writes what is waiting to be written. */
  async flush(): Promise<void> {
    if (this.#timer !== undefined) this.#write()
    await this.#writing
  }

  /** Writes anew what there is, so that nobody is in it who must not be. */
  async rewrite(): Promise<void> {
    if (this.file !== undefined && existsSync(this.file)) await this.#write()
  }

  /** What it was of is counted anew. */
  async drop(scope: string): Promise<void> {
    this.scope = scope
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#written = Number.NEGATIVE_INFINITY
    // One that is being written would be there again afterwards.
    await this.#writing
    if (this.file !== undefined) rmSync(this.file, { force: true })
  }

  #write(): Promise<unknown> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#written = performance.now()
    if (this.file !== undefined)
      this.#writing = this.#scanner.call('writeCheckpoint', [this.scope, this.database, this.file])
    return this.#writing
  }
}
