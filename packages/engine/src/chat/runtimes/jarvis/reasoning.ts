import { PlainText } from '../plain-text.ts'
import type { RuntimeEvent } from '../port.ts'

/** The maximum number of characters of thoughts per run, over all agents. */
const MOST = 200_000
const FLUSH_CHARS = 400
const FLUSH_MS = 80

/** How many characters may still be reported. */
export interface ReasoningBudget {
  left: number
}
export const createReasoningBudget = (): ReasoningBudget => ({ left: MOST })

interface AboutThoughts {
  readonly prefix: string
  readonly parent: string | undefined
  readonly room: ReasoningBudget
}

/** Groups a model's thoughts into pieces large enough for an event. */
export class Thoughts {
  readonly #tell: (event: RuntimeEvent) => void
  readonly #about: AboutThoughts
  #plain = new PlainText()
  #waiting = ''
  #count = 0
  #began: number | null = null
  #flushed = 0

  constructor(tell: (event: RuntimeEvent) => void, about: AboutThoughts) {
    this.#tell = tell
    this.#about = about
  }

  take(delta: string): void {
    const now = performance.now()
    if (this.#began === null) {
      this.#count += 1
      this.#began = now
      this.#flushed = now
      this.#plain = new PlainText()
    }
    this.#waiting += this.#plain.take(delta)
    if (this.#waiting.length < FLUSH_CHARS && now - this.#flushed < FLUSH_MS) return
    this.#flush()
    this.#flushed = now
  }

  end(): void {
    if (this.#began === null) return
    this.#flush()
    this.#tell({ ...this.#node(), status: 'completed', elapsed_ms: performance.now() - this.#began })
    this.#began = null
  }

  #flush(): void {
    const { room } = this.#about
    const delta = this.#waiting.slice(0, room.left)
    this.#waiting = ''
    room.left -= delta.length
    if (delta !== '') this.#tell({ ...this.#node(), status: 'running', detail: { delta } })
  }

  #node() {
    const { prefix, parent } = this.#about
    return {
      type: 'progress',
      node_id: `reasoning-${prefix}${this.#count}`,
      ...(parent === undefined ? {} : { parent_id: parent }),
      kind: 'reasoning',
      label: 'Thinking',
    } as const
  }
}
