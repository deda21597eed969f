interface StreamedEvent {
  /** Empty where it has none. */
  readonly name: string
  readonly data: string
}

/** Reads server-sent events out of text that comes in any pieces; what is neither data nor a name is passed over. */
export class EventReader {
  #line = ''
  #name = ''
  #data: string | undefined
  #endsWithReturn = false

  /** The events that are whole with this piece. */
  take(piece: string): readonly StreamedEvent[] {
    if (piece === '') return []
    const isSplit = this.#endsWithReturn && piece.startsWith('\n')
    this.#endsWithReturn = piece.endsWith('\r')
    const text = isSplit ? piece.slice(1) : piece
    const lines = (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n')
    lines[0] = this.#line + lines[0]
    this.#line = lines.pop() ?? ''
    const events: StreamedEvent[] = []
    for (const line of lines) {
      if (line !== '') this.#read(line)
      else {
        if (this.#data !== undefined) events.push({ name: this.#name, data: this.#data })
        this.#name = ''
        this.#data = undefined
      }
    }
    return events
  }

  /** Characters of what is not whole yet. */
  get waiting(): number {
    return this.#line.length + (this.#data?.length ?? 0)
  }

  #read(line: string): void {
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    } else if (line.startsWith('event:')) this.#name = line.slice(6).trim()
  }
}
