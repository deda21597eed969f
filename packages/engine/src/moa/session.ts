import type { MoaTurn } from '@panoptes/schema'
import { FanOutRule } from './fan-out-cache.ts'

/** What a reference said, as it is kept for the further calls of a turn. */
export interface KeptAdvice {
  readonly label: string
  /** Null where it said nothing that can be used. */
  readonly text: string | null
}

/** What is kept of a session between its calls: one fan-out, and where its turn stands. */
export interface SessionState {
  readonly rule: FanOutRule
  /** Nothing comes of it where whoever asked for it left. */
  fanOut: { readonly key: string; readonly ran: Promise<readonly KeptAdvice[] | undefined> } | undefined
  /** The characters that are kept of it. */
  size: number
  turn: { readonly key: string; readonly id: string; iteration: number } | undefined
  /** The turn that was last answered without a further call of a tool. */
  answered: string | undefined
  /** Endpoints of it that want turns to alternate. */
  readonly alternating: Set<string>
  /** Its turns that may go on, as they were kept; a further call is added to them. */
  readonly growing: Map<string, MoaTurn>
}

const MOST_SESSIONS = 500
const MOST_CHARACTERS = 67_108_864

/** The sessions that were last heard of; older ones have their references asked anew. */
export class SessionStates {
  readonly #states = new Map<string, SessionState>()

  of(session: string, preset: string): SessionState {
    const name = `${session}\0${preset}`
    const state = this.#states.get(name) ?? newState()
    this.#states.delete(name)
    this.#states.set(name, state)
    this.#forget()
    return state
  }

  #forget(): void {
    let characters = 0
    for (const { size } of this.#states.values()) characters += size
    for (const [name, { size }] of this.#states) {
      if (this.#states.size <= MOST_SESSIONS && characters <= MOST_CHARACTERS) return
      if (this.#states.size === 1) return
      characters -= size
      this.#states.delete(name)
    }
  }
}

const newState = (): SessionState => ({
  rule: new FanOutRule(),
  fanOut: undefined,
  size: 0,
  turn: undefined,
  answered: undefined,
  alternating: new Set(),
  growing: new Map(),
})
