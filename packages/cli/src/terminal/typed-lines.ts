import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** What a person typed, or how they left it: Ctrl-C, Ctrl-D, or not needed any more. */
export type Typed = { readonly text: string } | 'interrupted' | 'left' | 'unneeded'

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

/** Lines that come within this time were pasted together. */
const PASTE_MS = 30

/**
 * One reader of the terminal for as long as a command talks with a person, so that nothing that is typed or pasted
 * meanwhile is lost. While nothing is asked for, Ctrl-C is passed on as the signal that a terminal would send.
 */
export class TypedLines {
  readonly #lines: Interface
  readonly #output: Writable
  #kept: string[] = []
  #paste: NodeJS.Timeout | undefined
  #give: ((typed: Typed) => void) | null = null
  #isClosed = false

  constructor({ input, output }: Terminal = { input: process.stdin, output: process.stderr }) {
    this.#output = output
    this.#lines = createInterface({ input, output, prompt: '', terminal: true })
    this.#lines.on('line', (line) => {
      this.#kept.push(line)
      clearTimeout(this.#paste)
      this.#paste = setTimeout(() => this.#deliver(), PASTE_MS)
    })
    this.#lines.on('SIGINT', () => {
      if (this.#give === null) process.emit('SIGINT', 'SIGINT')
      else if (this.#lines.line === '') this.#answer('interrupted')
      else this.#lines.write(null, { ctrl: true, name: 'u' })
    })
    this.#lines.on('close', () => {
      this.#isClosed = true
      this.#answer('left')
    })
  }

  /** What is typed next; or what was typed before it was asked for, unless that must not count. */
  async next(
    prompt: string,
    more: { readonly signal?: AbortSignal; readonly fresh?: boolean } = {},
  ): Promise<Typed> {
    const { signal, fresh = false } = more
    if (this.#isClosed) return 'left'
    if (signal?.aborted) return 'unneeded'
    if (fresh) this.#kept = []
    const { promise, resolve } = Promise.withResolvers<Typed>()
    this.#give = resolve
    const unneeded = () => this.#answer('unneeded')
    signal?.addEventListener('abort', unneeded, { once: true })
    this.#lines.setPrompt(prompt)
    this.#lines.prompt()
    if (this.#kept.length > 0) this.#deliver()
    const typed = await promise
    signal?.removeEventListener('abort', unneeded)
    this.#lines.setPrompt('')
    if (typeof typed === 'string') this.#output.write('\n')
    return typed
  }

  close(): void {
    clearTimeout(this.#paste)
    this.#lines.close()
  }

  #deliver(): void {
    if (this.#give === null || this.#kept.length === 0) return
    const text = this.#kept.join('\n')
    this.#kept = []
    this.#answer({ text })
  }

  #answer(typed: Typed): void {
    const give = this.#give
    this.#give = null
    give?.(typed)
  }
}
