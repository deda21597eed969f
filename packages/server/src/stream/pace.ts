/** Above this many events in a window it is busy, and frames are worth waiting for. */
const BUSY = 200
const WINDOW_MS = 100
const WAIT_MS = 16

/** Sends at once while little happens, and gathers for a moment while much does. */
export class Pace {
  readonly #send: () => void
  #timer: NodeJS.Timeout | undefined
  #windowStart = 0
  #count = 0
  #busy = false

  constructor(send: () => void) {
    this.#send = send
  }

  arrived(count: number): void {
    const now = performance.now()
    if (now - this.#windowStart > WINDOW_MS) {
      this.#busy = this.#count > BUSY && now - this.#windowStart < 2 * WINDOW_MS
      this.#windowStart = now
      this.#count = 0
    }
    this.#count += count
    if (this.#timer) return
    if (!this.#busy && this.#count <= BUSY) {
      this.#send()
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#send()
    }, WAIT_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
