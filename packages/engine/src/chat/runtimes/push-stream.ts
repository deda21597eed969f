/** Turns calls into a stream for one reader. */
export class PushStream<T> {
  readonly #waiting: T[] = []
  #woken = Promise.withResolvers<void>()
  #isOver = false
  readonly #unseen: (() => void)[] = []

  push(value: T): void {
    if (this.#isOver) return
    this.#waiting.push(value)
    this.#woken.resolve()
  }

  /** Accepts nothing more; what came before is still read. */
  end(): void {
    this.#isOver = true
    this.#woken.resolve()
  }

  /** Resolves when the reader has taken everything so far and asks for more. */
  drain(): Promise<void> {
    return new Promise((seen) => {
      this.#unseen.push(seen)
      this.#woken.resolve()
    })
  }

  async *read(): AsyncGenerator<T, undefined> {
    for (;;) {
      yield* this.#waiting.splice(0)
      if (this.#waiting.length > 0) continue
      for (const seen of this.#unseen.splice(0)) seen()
      if (this.#isOver) return
      await this.#woken.promise
      this.#woken = Promise.withResolvers<void>()
    }
  }
}
