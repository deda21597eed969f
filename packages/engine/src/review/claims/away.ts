import { didNotRun } from '../ran/judged.ts'
import { spoken } from '../ran/tools.ts'

/** Tools that a person answers. */
const ASKS: ReadonlySet<string> = new Set(
  ['AskUserQuestion', 'ExitPlanMode', 'request_user_input', 'clarify', 'question'].map(spoken),
)
/** In milliseconds: no reply is thought about for longer while nothing is called. */
const LONGEST_THOUGHT = 1_800_000
const MOST_CALLS = 1_000

interface Answer {
  readonly id: string
  readonly ok: boolean | null
  readonly text: string
  readonly duration_ms: number | null
}

/** How long an agent waited for a person: an answer, leave to call something, a computer that slept. */
export class Away {
  ms = 0
  readonly #calls = new Map<string, { readonly tool: string; readonly ts: number }>()
  #last: number | undefined
  /** What is counted ends here. */
  #until = 0

  /** Any sign of it, before what the sign says. */
  sign(ts: number): void {
    const last = this.#last
    if (last !== undefined && this.#calls.size === 0 && ts - last > LONGEST_THOUGHT) this.#count(last, ts)
    this.#last = Math.max(ts, last ?? ts)
  }

  /** A person speaks: what was before is over. */
  begins(): void {
    this.#last = undefined
    this.#calls.clear()
  }

  called(id: string, tool: string, ts: number | null): void {
    if (ts !== null && this.#calls.size < MOST_CALLS) this.#calls.set(id, { tool, ts })
  }

  answered({ id, ok, text, duration_ms }: Answer, ts: number | null): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (call === undefined || ts === null) return
    const isPersons = ASKS.has(spoken(call.tool)) || (ok === false && didNotRun(text))
    // What a call did not take itself it waited for.
    if (isPersons) this.#count(call.ts, ts)
    else if (duration_ms !== null) this.#count(call.ts, ts - duration_ms)
  }

  #count(from: number, to: number): void {
    this.ms += Math.max(0, to - Math.max(from, this.#until))
    this.#until = Math.max(this.#until, to)
  }
}
