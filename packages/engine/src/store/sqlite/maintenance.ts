import type { OnDemandThread } from '@panoptes/engine/worker-rpc'
import type { BackupReply, Result } from '@panoptes/schema'
import type { Work } from '../port.ts'
import type { KeeperCalls } from './messages.ts'
import { threadOnDemand } from './worker-client.ts'

type Keeps = { [M in keyof KeeperCalls]: KeeperCalls[M] }

/**
 * An append adds about this many pages to the write-ahead log: the rows and indexes it touches, and its text.
 */
const PAGES_AN_APPEND = 8
const CHARS_A_PAGE = 1_000
/**
 * The log is moved into the file once it has this many pages. With more, the system would begin to write them to disk
 * on its own, which stops the writer for a moment.
 */
const TIDY_PAGES = 1_000
/** The shortest time between two moves. Under heavy writes, each move then covers more pages. */
const TIDY_MS = 250

/** Runs slow work over the whole file on a thread of its own, which starts when there is work. */
export class Keeper {
  readonly #thread: OnDemandThread<Keeps>
  #tidying = false
  #tidied = 0
  #pages = 0

  constructor(file: string) {
    this.#thread = threadOnDemand<Keeps>('keeper', file)
  }

  recordLines(lines: readonly string[]): void {
    this.recordPages(PAGES_AN_APPEND + lines.reduce((sum, line) => sum + line.length, 0) / CHARS_A_PAGE)
  }

  /** Records that about this many pages were written. */
  recordPages(pages: number): void {
    this.#pages += pages
    const now = performance.now()
    if (this.#pages < TIDY_PAGES || this.#tidying || now - this.#tidied < TIDY_MS) return
    this.#pages = 0
    this.#tidied = now
    this.#tidying = true
    void this.#thread.call('tidy', []).then(() => {
      this.#tidying = false
    })
  }

  backup(target: string, replace: boolean, work: Work): Promise<Result<BackupReply>> {
    return this.#thread.call('backup', [target, replace], work)
  }

  verify(): Promise<Result<readonly string[]>> {
    return this.#thread.call('verify', [])
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
