import { PlainText } from '../plain-text.ts'
import type { RuntimeEvent } from '../port.ts'

/** Characters of thoughts in one answer. */
const MOST = 400_000
const WORTH_CHARS = 400
const WORTH_MS = 80

/** What an agent thinks, in pieces that are worth an event. */
export class Thoughts {
  readonly #plain = new PlainText()
  #count = 0
  #began: number | null = null
  #waiting = ''
  #told = 0
  #toldAt = 0;

  *take(piece: string): Generator<RuntimeEvent> {
    const now = Date.now()
    if (this.#began === null) {
      this.#began = now
      this.#toldAt = now
      this.#count += 1
    }
    this.#waiting += this.#plain.take(piece)
    if (this.#waiting.length >= WORTH_CHARS || now - this.#toldAt >= WORTH_MS) yield* this.#tell(now)
  }

  *end(): Generator<RuntimeEvent> {
    if (this.#began === null) return
    const now = Date.now()
    yield* this.#tell(now)
    yield { ...this.#about(), status: 'completed', elapsed_ms: now - this.#began }
    this.#began = null
  }

  *#tell(now: number): Generator<RuntimeEvent> {
    const delta = this.#waiting.slice(0, MOST - this.#told)
    this.#waiting = ''
    this.#told += delta.length
    this.#toldAt = now
    if (delta !== '') yield { ...this.#about(), status: 'running', detail: { delta } }
  }

  #about() {
    return {
      type: 'progress',
      node_id: `reasoning-${this.#count}`,
      kind: 'reasoning',
      label: 'Thinking',
    } as const
  }
}
