import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads'

/** Two open stores need this many idle threads of one kind; more would only use memory. */
const MAX_IDLE = 4

const idleThreads = new Map<string, Worker[]>()

interface PooledWorkerOptions {
  readonly workerData: unknown
  readonly name: string
  readonly resourceLimits: ResourceLimits
}

/**
 * Stands in for `Worker` in tests: when a thread has closed its port, the next worker with the same script continues
 * on it. Starting a thread and loading its script takes longer than most tests. The script runs anew for each
 * worker, so that no state of its modules passes from one to the next; `bundledThreads` wraps it for that.
 */
export class PooledWorker extends EventEmitter {
  readonly #thread: Worker
  readonly #port: MessagePort
  readonly #key: string

  constructor(script: URL, options: PooledWorkerOptions) {
    super()
    this.#key = JSON.stringify([script.href, options.resourceLimits])
    this.#thread =
      idleThreads.get(this.#key)?.pop() ?? new Worker(script, { ...options, workerData: undefined })
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#port.on('message', (message) => this.emit('message', message))
    this.#port.on('close', this.#release)
    this.#thread.on('error', this.#fail)
    this.#thread.on('exit', this.#exit)
    this.#thread.ref()
    this.#thread.postMessage({ parentPort: port2, workerData: options.workerData }, [port2])
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message)
  }

  unref(): void {
    this.#port.unref()
    this.#thread.unref()
  }

  terminate(): Promise<number> {
    return this.#thread.terminate()
  }

  readonly #fail = (error: unknown): void => {
    this.emit('error', error)
  }

  readonly #exit = (code: number): void => {
    this.#port.off('close', this.#release)
    this.#port.close()
    this.emit('exit', code)
  }

  readonly #release = (): void => {
    this.#thread.off('error', this.#fail)
    this.#thread.off('exit', this.#exit)
    const idle = idleThreads.get(this.#key) ?? []
    idleThreads.set(this.#key, idle)
    this.#thread.unref()
    if (idle.length < MAX_IDLE) idle.push(this.#thread)
    else void this.#thread.terminate()
    this.emit('exit', 0)
  }
}
