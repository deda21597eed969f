import { randomUUID } from 'node:crypto'
import type { MoaTurn } from '@panoptes/schema'
import { SeenStates } from './fan-out-cache.ts'

/** The answer of a reference, cached for the further calls of a turn. */
export interface CachedAdvice {
  readonly label: string
  /** The advice; null if the reference gave nothing usable. */
  readonly text: string | null
}

/** The references that were asked for one state of a turn. */
export interface CachedFanOut {
  /** Resolves with undefined if the request that started the fan-out was aborted. */
  readonly ran: Promise<readonly CachedAdvice[] | undefined>
  /** Size of the cached text, in characters. */
  size: number
}

/** A turn that may get further calls. */
export interface OpenTurn {
  readonly id: string
  iteration: number
  heardAt: number
  /** True after the acting model answered without calling another tool. */
  isAnswered: boolean
  readonly states: SeenStates
  readonly fanOuts: Map<string, CachedFanOut>
  /** How many of the latest fan-outs failed in a row, and until when no further one starts. */
  failed:
    | { readonly times: number; readonly until: number; readonly advice: readonly CachedAdvice[] }
    | undefined
}

/**
 * The maximum number of open turns per session: the loops of several agents, and what is asked
 * between their calls.
 */
const MOST_TURNS = 16
const MOST_FAN_OUTS = 8
/** The maximum size of a session's advice, in characters. */
const MOST_OF_SESSION = 8_388_608
/**
 * After this long, the same question is a new turn and not a retry. References may take a quarter
 * of an hour.
 */
const LONGEST_RETRY_MS = 1_800_000
/** Estimated size of one slot of a turn, in characters. */
const SLOT = 400

/**
 * What a session keeps between its calls: the open turns with their advice, the most recently used
 * last.
 */
export class SessionState {
  /** Endpoints that require alternating turns. */
  readonly alternating = new Set<string>()
  readonly #turns = new Map<string, OpenTurn>()
  readonly #growing = new Map<string, MoaTurn>()
  #advice = 0
  #slots = 0

  /** Size of everything kept, in characters. */
  get size(): number {
    return this.#advice + this.#slots * SLOT
  }

  /**
   * Returns the open turn of this key. If the same question was already answered, or came long ago,
   * it starts a new turn instead of continuing the old one.
   */
  openTurn(key: string, isQuestion: boolean, now: number): OpenTurn {
    const before = this.#turns.get(key)
    const isOver = before !== undefined && (before.isAnswered || now - before.heardAt > LONGEST_RETRY_MS)
    const turn = before && !(isOver && isQuestion) ? before : newTurn()
    turn.heardAt = now
    this.#turns.delete(key)
    this.#turns.set(key, turn)
    this.#evict()
    return turn
  }

  storeFanOut(turn: OpenTurn, key: string, fanOut: CachedFanOut): void {
    turn.fanOuts.delete(key)
    turn.fanOuts.set(key, fanOut)
    const [oldest] = turn.fanOuts.keys()
    if (turn.fanOuts.size > MOST_FAN_OUTS && oldest !== undefined) turn.fanOuts.delete(oldest)
  }

  /** Adds the size of a fan-out's advice now that it is known. */
  setAdviceSize(fanOut: CachedFanOut, advice: readonly CachedAdvice[]): void {
    fanOut.size = advice.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
    this.#evict()
  }

  markAnswered(id: string): void {
    for (const turn of this.#turns.values()) if (turn.id === id) turn.isAnswered = true
  }

  /** Returns the stored turn to which a further call is added. */
  getStoredTurn(id: string): MoaTurn | undefined {
    return this.#growing.get(id)
  }

  storeTurn(turn: MoaTurn): void {
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

  /** Drops answered turns first and then the oldest, but never the most recently used one. */
  #evict(): void {
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

/** The most recently used sessions. References are asked again for a session that was dropped. */
export class SessionStates {
  readonly #states = new Map<string, SessionState>()

  getOrCreate(session: string, preset: string): SessionState {
    const name = `${session}\0${preset}`
    const state = this.#states.get(name) ?? new SessionState()
    this.#states.delete(name)
    this.#states.set(name, state)
    this.#evict()
    return state
  }

  #evict(): void {
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
