/** One server-sent event as received. */
export interface SseFrame {
  /** The id of this frame itself; null if it has none. */
  readonly id: string | null
  /** Empty if the frame has no name. */
  readonly event: string
  readonly data: string
}

/**
 * Parses the frames of a stream from text split anywhere. Comments and unknown fields are ignored.
 */
export class SseReader {
  /** Pieces of the incomplete line, which are joined only once. */
  readonly #line: string[] = []
  #id: string | null = null
  #event = ''
  #data: string[] | null = null
  #endsWithReturn = false
  #isBegun = false
  #waiting = 0

  /** Returns the frames completed by this piece. */
  take(piece: string): readonly SseFrame[] {
    if (piece === '') return []
    const text = this.#begun(piece)
    const lines = text.split(/\r\n|\r|\n/)
    const last = lines.pop() ?? ''
    const frames: SseFrame[] = []
    for (const line of lines) {
      const whole = this.#line.length === 0 ? line : `${this.#line.join('')}${line}`
      this.#line.length = 0
      if (whole !== '') this.#read(whole)
      else {
        if (this.#data !== null)
          frames.push({ id: this.#id, event: this.#event, data: this.#data.join('\n') })
        this.#clear()
      }
    }
    if (last !== '') this.#line.push(last)
    this.#waiting = lines.length > 0 ? last.length : this.#waiting + last.length
    return frames
  }

  /** Number of characters of the incomplete line. */
  get waiting(): number {
    return this.#waiting
  }

  /** True if the stream stopped in the middle of a frame, which is then ignored. */
  get isOpen(): boolean {
    return this.#data !== null || this.#event !== '' || this.#id !== null || this.#line.length > 0
  }

  #begun(piece: string): string {
    const isSplit = this.#endsWithReturn && piece.startsWith('\n')
    this.#endsWithReturn = piece.endsWith('\r')
    const text = isSplit ? piece.slice(1) : piece
    if (this.#isBegun) return text
    this.#isBegun = true
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  #clear(): void {
    this.#id = null
    this.#event = ''
    this.#data = null
  }

  #read(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      this.#data ??= []
      this.#data.push(value)
    } else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
  }
}
