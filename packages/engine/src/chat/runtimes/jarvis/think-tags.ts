export interface Spoken {
  readonly type: 'text' | 'reasoning'
  readonly delta: string
}

const OPEN = /^\s*<(think|thinking|reasoning)>\s*/i
/** What may still become an opening. */
const MAY_OPEN =
  /^\s*(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?|r(?:e(?:a(?:s(?:o(?:n(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?)?$/i
const LONGEST_GAP = 1_000

/** Some models think aloud before they answer, between tags: what is between them at the very beginning is no part of the answer. */
export class ThinkTags {
  #at: 'start' | 'thought' | 'gap' | 'text' = 'start'
  #held = ''
  #close = ''

  take(delta: string): readonly Spoken[] {
    if (this.#at === 'text') return [{ type: 'text', delta }]
    this.#held += delta
    if (this.#at === 'start') return this.#start()
    return this.#at === 'thought' ? this.#thought() : this.#gap()
  }

  /** Nothing more comes. */
  end(): readonly Spoken[] {
    if (this.#at === 'gap') return []
    return this.#told(this.#at === 'thought' ? 'reasoning' : 'text', this.#held.length)
  }

  #start(): readonly Spoken[] {
    const opened = OPEN.exec(this.#held)
    if (opened === null) {
      const mayOpen = MAY_OPEN.test(this.#held) && this.#held.length < LONGEST_GAP
      return mayOpen ? [] : this.#speak()
    }
    this.#close = `</${String(opened[1]).toLowerCase()}>`
    this.#held = this.#held.slice(opened[0].length)
    this.#at = 'thought'
    return this.#thought()
  }

  #thought(): readonly Spoken[] {
    const end = this.#held.toLowerCase().indexOf(this.#close)
    if (end < 0) return this.#told('reasoning', Math.max(0, this.#held.length - this.#close.length + 1))
    const thought = this.#told('reasoning', end)
    this.#held = this.#held.slice(this.#close.length)
    this.#at = 'gap'
    return [...thought, ...this.#gap()]
  }

  #gap(): readonly Spoken[] {
    this.#held = this.#held.trimStart()
    return this.#held === '' ? [] : this.#speak()
  }

  #speak(): readonly Spoken[] {
    this.#at = 'text'
    return this.#told('text', this.#held.length)
  }

  #told(type: Spoken['type'], length: number): readonly Spoken[] {
    const delta = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return delta === '' ? [] : [{ type, delta }]
  }
}
