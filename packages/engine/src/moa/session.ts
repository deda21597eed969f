import type { FanOut } from './fan-out.ts'
import { FanOutRule } from './fan-out-cache.ts'

/** What is kept of a session between its calls: one fan-out, and where its turn stands. */
export interface SessionState {
  readonly rule: FanOutRule
  fanOut: { readonly key: string; readonly ran: Promise<FanOut> } | undefined
  turn: { readonly key: string; readonly id: string; iteration: number } | undefined
  /** Endpoints of it that want turns to alternate. */
  readonly alternating: Set<string>
}

const MOST_SESSIONS = 500

/** The sessions that were last heard of; older ones have their references asked anew. */
export class SessionStates {
  readonly #states = new Map<string, SessionState>()

  of(session: string, preset: string): SessionState {
    const name = `${session}\0${preset}`
    const known = this.#states.get(name)
    if (known) {
      this.#states.delete(name)
      this.#states.set(name, known)
      return known
    }
    const state: SessionState = {
      rule: new FanOutRule(),
      fanOut: undefined,
      turn: undefined,
      alternating: new Set(),
    }
    this.#states.set(name, state)
    const [oldest] = this.#states.keys()
    if (this.#states.size > MOST_SESSIONS && oldest !== undefined) this.#states.delete(oldest)
    return state
  }
}
