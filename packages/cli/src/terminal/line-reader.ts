import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** The typed text, or how the user left: Ctrl-C, Ctrl-D, or an abort. */
export type LineResult = { readonly text: string } | 'interrupted' | 'left' | 'unneeded'

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

/** Lines that arrive within this time were pasted together. */
const PASTE_MS = 30

/**
 * Reads the terminal for as long as a command talks with a user, so that nothing typed or pasted in between
 * is lost. While nothing is requested, Ctrl-C is passed on as the usual signal.
 */
export class TypedLines {
  readonly #lines: Interface
  readonly #output: Writable
  #pending: string[] = []
  #paste: NodeJS.Timeout | undefined
  #give: ((typed: LineResult) => void) | null = null
  #isClosed = false

  constructor({ input, output }: Terminal = { input: process.stdin, output: process.stderr }) {
    this.#output = output
    this.#lines = createInterface({ input, output, prompt: '', terminal: true })
    this.#lines.on('line', (line) => {
      this.#pending.push(line)
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

  /** Returns the next line, or one that was typed earlier unless `fresh` is set. */
  async next(
    prompt: string,
    more: { readonly signal?: AbortSignal; readonly fresh?: boolean } = {},
  ): Promise<LineResult> {
    const { signal, fresh = false } = more
    if (this.#isClosed) return 'left'
    if (signal?.aborted) return 'unneeded'
    if (fresh) this.#pending = []
    const { promise, resolve } = Promise.withResolvers<LineResult>()
    this.#give = resolve
    const unneeded = () => this.#answer('unneeded')
    signal?.addEventListener('abort', unneeded, { once: true })
    this.#lines.setPrompt(prompt)
    this.#lines.prompt()
    if (this.#pending.length > 0) this.#deliver()
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
    if (this.#give === null || this.#pending.length === 0) return
    const text = this.#pending.join('\n')
    this.#pending = []
    this.#answer({ text })
  }

  #answer(typed: LineResult): void {
    const give = this.#give
    this.#give = null
    give?.(typed)
  }
}
