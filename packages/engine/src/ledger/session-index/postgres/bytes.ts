/** Whole numbers from 0 on, small ones in one byte. */
export class Bytes {
  #buffer = Buffer.allocUnsafe(4_096)
  #length = 0

  put(number: number): void {
    if (this.#length + 8 > this.#buffer.length) this.#grow()
    let rest = number
    while (rest >= 128) {
      this.#buffer[this.#length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#buffer[this.#length++] = rest
  }

  /** What was put since it was last taken: to be used before more is put. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    return taken
  }

  #grow(): void {
    const grown = Buffer.allocUnsafe(2 * this.#buffer.length)
    this.#buffer.copy(grown)
    this.#buffer = grown
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length
  }

  next(): number {
    const first = this.#bytes[this.#at++] ?? 0
    if (first < 128) return first
    let number = first - 128
    for (let scale = 128; ; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0
      if (byte < 128) return number + byte * scale
      number += (byte - 128) * scale
    }
  }

  skip(numbers: number): void {
    for (let left = numbers; left > 0; this.#at += 1) if ((this.#bytes[this.#at] ?? 0) < 128) left -= 1
  }
}
