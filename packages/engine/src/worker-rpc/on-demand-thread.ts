import type { Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Work } from './serve.ts'
import { type ArgsOf, type Calls, type ReplyOf, Thread, type ThreadSetup } from './thread.ts'

export interface OnDemandSetup extends Omit<ThreadSetup, 'data'> {
  /** Returns the data for a new thread. It is computed at each start, because the state may have changed. */
  readonly data: () => unknown
  /** Called when a thread ended or died. The next one knows only its data. */
  readonly onEnd?: (() => void) | undefined
}

type StartedThread<C extends Calls> = Pick<Thread<C>, 'call' | 'end' | 'isDead'>

/** A thread takes about 25 MB, so one that had nothing to do for this long ends. */
const IDLE_MS = 30_000

/**
 * A thread that starts with the first call, ends when nobody called it for a while, and starts again with the
 * next call. It never throws: calls that a dying thread did not answer get a failure.
 */
export class OnDemandThread<C extends Calls & { close(): null }> {
  readonly #setup: OnDemandSetup
  readonly #create: (setup: ThreadSetup) => StartedThread<C>
  #thread: StartedThread<C> | undefined
  /** Resolves when the previous thread is gone. Two threads never have the same files open for writing. */
  #ending: Promise<void> | undefined
  readonly #waiting: (() => void)[] = []
  #holds = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(setup: OnDemandSetup, create = (own: ThreadSetup): StartedThread<C> => new Thread<C>(own)) {
    this.#setup = setup
    this.#create = create
  }

  /** Whether there is a thread that could remember something. */
  get isRunning(): boolean {
    return this.#thread !== undefined
  }

  call<M extends keyof C & string>(
    method: M,
    args: ArgsOf<C[M]>,
    work: Work = {},
    part?: (part: readonly unknown[]) => void,
  ): Promise<Result<ReplyOf<C[M]>>> {
    if (this.#isClosed) return Promise.resolve(failure('closed', `${this.#setup.what} is closed.`))
    const release = this.hold()
    const post = async () => {
      const own = this.#start()
      try {
        return await own.call(method, args, work, part)
      } finally {
        if (own.isDead) this.#drop(own)
        release()
      }
    }
    if (this.#ending === undefined) return post()
    return new Promise((resolve) => this.#waiting.push(() => resolve(post())))
  }

  /** Keeps the thread until the returned function is called, because later calls rely on what it remembers. */
  hold(): () => void {
    this.#holds += 1
    clearTimeout(this.#idle)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds -= 1
      if (this.#holds > 0 || this.#isClosed) return
      this.#idle = setTimeout(() => this.#endIdle(), IDLE_MS).unref()
    }
  }

  /** Ends the thread for good, after it answered what it was asked. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#ending
    await this.#thread?.call('close', [] as unknown as ArgsOf<C['close']>)
    await this.end()
  }

  /** Waits until the closed thread is gone, and terminates one that does not end. */
  async end(): Promise<void> {
    await this.#thread?.end()
  }

  #start(): StartedThread<C> {
    if (this.#thread?.isDead) this.#drop(this.#thread)
    this.#thread ??= this.#create({ ...this.#setup, data: this.#setup.data() })
    return this.#thread
  }

  #endIdle(): void {
    const own = this.#thread
    if (own === undefined) return
    this.#drop(own)
    this.#ending = own
      .call('close', [] as unknown as ArgsOf<C['close']>)
      .then(() => own.end())
      .then(() => {
        this.#ending = undefined
        for (const post of this.#waiting.splice(0)) post()
      })
  }

  #drop(own: StartedThread<C>): void {
    if (this.#thread !== own) return
    this.#thread = undefined
    if (!this.#isClosed) this.#setup.onEnd?.()
  }
}
