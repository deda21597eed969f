import { existsSync, rmSync } from 'node:fs'
import type { Scanner } from './scanner.ts'

const EVERY_MS = 30_000

/**
 * Writes the checkpoint of one scope at the end of a scan and while it runs, but at most every
 * thirty seconds.
 */
export class CheckpointKeeper {
  /** It changes when everything is counted again. */
  scope: string
  readonly database: string
  readonly file: string | undefined
  readonly #scanner: Scanner
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined
  /** Lets the worker end, which has what is not in the file yet. */
  #release: (() => void) | undefined
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

  /** Reports that something is not in the file yet. */
  changed(): void {
    if (this.file === undefined) return
    this.#release ??= this.#scanner.hold()
    this.#timer ??= setTimeout(() => this.#write(), this.#everyMs).unref()
  }

  /** Reports the end of a scan. */
  async ended(): Promise<void> {
    if (this.#timer === undefined || performance.now() < this.#written + this.#everyMs) return
    await this.#write()
  }

  /** Writes any pending changes. */
  async flush(): Promise<void> {
    if (this.#timer !== undefined) this.#write()
    await this.#writing
  }

  /** Rewrites the file, so that it names no forgotten session. */
  async rewrite(): Promise<void> {
    if (this.file !== undefined && existsSync(this.file)) await this.#write()
  }

  /** Deletes the file, because everything is counted again. */
  async drop(scope: string): Promise<void> {
    this.scope = scope
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#release?.()
    this.#release = undefined
    this.#written = Number.NEGATIVE_INFINITY
    // A write in progress would otherwise recreate the file.
    await this.#writing
    if (this.file !== undefined) rmSync(this.file, { force: true })
  }

  #write(): Promise<unknown> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#written = performance.now()
    if (this.file !== undefined)
      this.#writing = this.#scanner.call('writeCheckpoint', [this.scope, this.database, this.file])
    this.#release?.()
    this.#release = undefined
    return this.#writing
  }
}
