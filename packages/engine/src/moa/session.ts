import { randomUUID } from 'node:crypto'
import type { MoaTurn } from '@panoptes/schema'
import { SeenStates } from './fan-out-cache.ts'

/** What a reference said, as it is kept for the further calls of a turn. */
export interface KeptAdvice {
  readonly label: string
  /** Null where it said nothing that can be used. */
  readonly text: string | null
}

/** What references were asked for a state of a turn. */
export interface KeptFanOut {
  /** Nothing comes of it where whoever asked for it left. */
  readonly ran: Promise<readonly KeptAdvice[] | undefined>
  /** The characters that are kept of it. */
  size: number
}

/** A turn that may go on. */
export interface OpenTurn {
  readonly id: string
  iteration: number
  heardAt: number
  /** The acting model gave an answer without a further call of a tool. */
  isAnswered: boolean
  readonly states: SeenStates
  readonly fanOuts: Map<string, KeptFanOut>
  /** Its last fan-outs in a row gave nothing: how many, and until when none is asked again. */
  failed:
    | { readonly times: number; readonly until: number; readonly advice: readonly KeptAdvice[] }
    | undefined
}

/** Turns of a session that may go on: loops of several agents, and what is asked between their calls. */
const MOST_TURNS = 16
const MOST_FAN_OUTS = 8
/** Characters of advice that one session has at most. */
const MOST_OF_SESSION = 8_388_608
/** After so long a question is no retry: references may take a quarter of an hour. */
const LONGEST_RETRY_MS = 1_800_000
/** The characters of a slot of a turn, about. */
const SLOT = 400

/** What is kept of a session between its calls: the turns that may go on, each with its advice. The one that was last heard of is the last. */
export class SessionState {
  /** Endpoints that want turns to alternate. */
  readonly alternating = new Set<string>()
  readonly #turns = new Map<string, OpenTurn>()
  readonly #growing = new Map<string, MoaTurn>()
  #advice = 0
  #slots = 0

  /** The characters that are kept of it. */
  get size(): number {
    return this.#advice + this.#slots * SLOT
  }

  /**
   * The turn of this key. A question that was answered before, or came long ago, and is asked again as it was is a new one, no further call
   * of the old one.
   */
  turnOf(key: string, isQuestion: boolean, now: number): OpenTurn {
    const before = this.#turns.get(key)
    const isOver = before !== undefined && (before.isAnswered || now - before.heardAt > LONGEST_RETRY_MS)
    const turn = before && !(isOver && isQuestion) ? before : newTurn()
    turn.heardAt = now
    this.#turns.delete(key)
    this.#turns.set(key, turn)
    this.#forget()
    return turn
  }

  keepFanOut(turn: OpenTurn, key: string, fanOut: KeptFanOut): void {
    turn.fanOuts.delete(key)
    turn.fanOuts.set(key, fanOut)
    const [oldest] = turn.fanOuts.keys()
    if (turn.fanOuts.size > MOST_FAN_OUTS && oldest !== undefined) turn.fanOuts.delete(oldest)
  }

  /** What was asked is known now. */
  sized(fanOut: KeptFanOut, advice: readonly KeptAdvice[]): void {
    fanOut.size = advice.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
    this.#forget()
  }

  answered(id: string): void {
    for (const turn of this.#turns.values()) if (turn.id === id) turn.isAnswered = true
  }

  /** A turn as it was kept; a further call is added to it. */
  grown(id: string): MoaTurn | undefined {
    return this.#growing.get(id)
  }

  grow(turn: MoaTurn): void {
    this.#growing.delete(turn.id)
    this.#growing.set(turn.id, turn)
    const open = new Set([...this.#turns.values()].map(({ id }) => id))
    for (const id of this.#growing.keys()) {
      if (this.#growing.size <= 2 * MOST_TURNS) break
      if (!open.has(id)) this.#growing.delete(id)
    }
    this.#slots = 0
    for (const { slots } of this.#growing.values()) this.#slots += slots.length
  }

  /** Those that were answered go first, then the oldest; the one that was last heard of stays. */
  #forget(): void {
    this.#measure()
    const all = [...this.#turns]
    const [answered, going] = [true, false].map((is) =>
      all.slice(0, -1).filter(([, one]) => one.isAnswered === is),
    )
    for (const [key] of [...(answered ?? []), ...(going ?? [])]) {
      if (this.#turns.size <= MOST_TURNS && this.#advice <= MOST_OF_SESSION) return
      this.#turns.delete(key)
      this.#measure()
    }
    const last = all.at(-1)?.[1]
    for (const key of last?.fanOuts.keys() ?? []) {
      if (this.#advice <= MOST_OF_SESSION || last?.fanOuts.size === 1) return
      last?.fanOuts.delete(key)
      this.#measure()
    }
  }

  #measure(): void {
    this.#advice = 0
    for (const { fanOuts } of this.#turns.values())
      for (const { size } of fanOuts.values()) this.#advice += size
  }
}

const newTurn = (): OpenTurn => ({
  id: randomUUID(),
  iteration: 0,
  heardAt: 0,
  isAnswered: false,
  states: new SeenStates(),
  fanOuts: new Map(),
  failed: undefined,
})

const MOST_SESSIONS = 500
const MOST_CHARACTERS = 67_108_864

/** The sessions that were last heard of; older ones have their references asked anew. */
export class SessionStates {
  readonly #states = new Map<string, SessionState>()

  of(session: string, preset: string): SessionState {
    const name = `${session}\0${preset}`
    const state = this.#states.get(name) ?? new SessionState()
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
