import type { Thread } from '@panoptes/engine/threads'
import type { BackupReply, Result } from '@panoptes/schema'
import type { Work } from '../port.ts'
import { ledgerThread } from './ledger-thread.ts'
import type { KeeperCalls } from './messages.ts'

type Keeps = { [M in keyof KeeperCalls]: KeeperCalls[M] }

/** What an append adds to the log beside the file, in pages: rows and indexes it touches, and its text. */
const PAGES_AN_APPEND = 8
const CHARS_A_PAGE = 1_000
/** More of them wait longer than the system waits before it writes them by itself, and that stops the writer for a moment. */
const TIDY_PAGES = 1_000
/** While very much comes in, a larger heap is moved at once. */
const TIDY_MS = 250

/** Slow work over the whole file, on a thread of its own that starts when there is some. */
export class Keeper {
  readonly #file: string
  #thread: Thread<Keeps> | undefined
  #tidying = false
  #tidied = 0
  #pages = 0

  constructor(file: string) {
    this.#file = file
  }

  wrote(lines: readonly string[]): void {
    this.changed(PAGES_AN_APPEND + lines.reduce((sum, line) => sum + line.length, 0) / CHARS_A_PAGE)
  }

  /** About so many pages were written. */
  changed(pages: number): void {
    this.#pages += pages
    const now = performance.now()
    if (this.#pages < TIDY_PAGES || this.#tidying || now - this.#tidied < TIDY_MS) return
    this.#pages = 0
    this.#tidied = now
    this.#tidying = true
    void this.#started()
      .call('tidy', [])
      .then(() => {
        this.#tidying = false
      })
  }

  backup(target: string, replace: boolean, work: Work): Promise<Result<BackupReply>> {
    return this.#started().call('backup', [target, replace], work)
  }

  verify(): Promise<Result<readonly string[]>> {
    return this.#started().call('verify', [])
  }

  async close(): Promise<void> {
    await this.#thread?.call('close', [])
    await this.#thread?.end()
  }

  #started(): Thread<Keeps> {
    this.#thread ??= ledgerThread<Keeps>('keeper', this.#file)
    return this.#thread
  }
}
