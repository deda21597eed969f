import { MOST_MESSAGES } from '../schema.ts'

export const sessionOfMessage = (message: number): number => Math.floor(message / MOST_MESSAGES)

/** Messages that match, by ascending number: how often each does, and how many words it has. */
export class Matches {
  #messages: number[] = []
  #freqs: number[] = []
  #sizes: number[] = []
  #isSorted = true

  get size(): number {
    return this.#messages.length
  }

  add(message: number, freq: number, size: number): void {
    if (message <= (this.#messages.at(-1) ?? -1)) this.#isSorted = false
    this.#messages.push(message)
    this.#freqs.push(freq)
    this.#sizes.push(size)
  }

  /**
   * Sorts the messages and merges duplicates, since several words with one beginning may be in one message.
   */
  sorted(): this {
    if (this.#isSorted) return this
    const places = new Map<number, number>()
    for (const [at, message] of this.#messages.entries()) {
      const first = places.get(message)
      if (first === undefined) places.set(message, at)
      else this.#freqs[first] = (this.#freqs[first] ?? 0) + (this.#freqs[at] ?? 0)
    }
    const messages = [...Float64Array.from(places.keys()).sort()]
    const order = messages.map((message) => places.get(message) ?? 0)
    this.#freqs = order.map((at) => this.#freqs[at] ?? 0)
    this.#sizes = order.map((at) => this.#sizes[at] ?? 0)
    this.#messages = messages
    this.#isSorted = true
    return this
  }

  get messages(): readonly number[] {
    return this.#messages
  }

  has(message: number): boolean {
    return this.#messages[this.#at(message)] === message
  }

  frequency(message: number): number {
    return this.#freqs[this.#at(message)] ?? 0
  }

  messageSize(message: number): number {
    return this.#sizes[this.#at(message)] ?? 0
  }

  /**
   * Selects messages of wanted sessions. The messages of one session are consecutive, so each session is
   * asked about once.
   */
  where(isWanted: (session: number) => boolean): readonly number[] {
    const found: number[] = []
    let [end, wanted] = [-1, false]
    for (const message of this.#messages) {
      if (message >= end) {
        const session = sessionOfMessage(message)
        end = (session + 1) * MOST_MESSAGES
        wanted = isWanted(session)
      }
      if (wanted) found.push(message)
    }
    return found
  }

  #at(message: number): number {
    let [low, high] = [0, this.#messages.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#messages[middle] ?? 0) < message) low = middle + 1
      else high = middle
    }
    return low
  }
}
