import { type CharClass, CLASS_COUNT, isWordClass, isWordLowered, NEWLINE, SPACES } from './classes.ts'

/** One character, or any number of characters, of some classes. */
export interface Step {
  readonly on: readonly CharClass[]
  readonly many: boolean
}

export interface Pattern {
  /** What is told when it is found. */
  readonly hit: number
  /** Where it may begin: anywhere, after something that is no part of a word, or the same in lowered text. */
  readonly begins: 'anywhere' | 'word' | 'lowered-word'
  readonly steps: readonly Step[]
  /** It counts only where a word ends; it is then told one character late. */
  readonly endsWord: boolean
}

export interface Automaton {
  /** `next[state + class]`; states are multiples of `width`. */
  readonly next: Int32Array
  readonly width: number
  readonly start: number
  /** States from here on have something to tell. */
  readonly telling: number
  /** By `(state - telling) / width`. */
  readonly hits: readonly (readonly number[])[]
}

export const SPACE_RUN: Step = { on: SPACES, many: true }
export const A_SPACE: Step = { on: SPACES, many: false }

const WIDTH = 1 << Math.ceil(Math.log2(CLASS_COUNT))
const NO_WORDS = Array.from({ length: CLASS_COUNT }, (_, one) => one).filter((one) => !isWordClass(one))

/**
 * All patterns as one table: a text is read once, one step a character, whatever is in it. A state is the set of places in
 * patterns that the text so far has reached, and whether a word may begin.
 */
export function automaton(patterns: readonly Pattern[], tellLines: number): Automaton {
  const all = patterns.map((pattern) =>
    pattern.endsWord ? { ...pattern, steps: [...pattern.steps, { on: NO_WORDS, many: false }] } : pattern,
  )
  const builder = new Builder(all, tellLines)
  return builder.build()
}

interface State {
  readonly places: readonly number[]
  /** 0 in a word, 1 after one, 2 after a dotted I: after a word in lowered text only. */
  readonly edge: number
  readonly hits: readonly number[]
  readonly targets: Int32Array
}

class Builder {
  readonly #patterns: readonly Pattern[]
  readonly #tellLines: number
  /** Place `p` of pattern `n` is `offsets[n] + p`. */
  readonly #offsets: readonly number[]
  readonly #owner: readonly number[]
  readonly #states: State[] = []
  readonly #known = new Map<string, number>()
  /** The beginnings that a class can start, for each edge. */
  readonly #beginnings: readonly (readonly number[])[]
  /** By edge and class: the places that beginnings go to, and the state that is. */
  readonly #startedAt: ReadonlySet<number>[] = []
  readonly #begunAt: number[] = []

  constructor(patterns: readonly Pattern[], tellLines: number) {
    this.#patterns = patterns
    this.#tellLines = tellLines
    const offsets: number[] = []
    const owner: number[] = []
    for (const [index, pattern] of patterns.entries()) {
      offsets.push(owner.length)
      for (let place = 0; place <= pattern.steps.length; place += 1) owner.push(index)
    }
    this.#offsets = offsets
    this.#owner = owner
    const mayBegin = (edge: number) => (pattern: Pattern) =>
      pattern.begins === 'anywhere' ||
      (pattern.begins === 'word' && edge === 1) ||
      (pattern.begins === 'lowered-word' && edge > 0)
    this.#beginnings = [0, 1, 2].map((edge) =>
      patterns.flatMap((pattern, index) => (mayBegin(edge)(pattern) ? [offsets[index] ?? 0] : [])),
    )
  }

  build(): Automaton {
    const start = this.#state([], 1, false)
    for (let done = 0; done < this.#states.length; done += 1) this.#fill(done)
    const order = this.#states.map((_, index) => index)
    order.sort((a, b) => Number(this.#tells(a)) - Number(this.#tells(b)) || a - b)
    const renamed = new Int32Array(order.length)
    for (const [to, from] of order.entries()) renamed[from] = to * WIDTH
    const next = new Int32Array(order.length * WIDTH)
    const hits: (readonly number[])[] = []
    let telling = order.length * WIDTH
    for (const [to, from] of order.entries()) {
      const state = this.#at(from)
      for (const [on, target] of state.targets.entries()) next[to * WIDTH + on] = renamed[target] ?? 0
      if (!this.#tells(from)) continue
      telling = Math.min(telling, to * WIDTH)
      hits.push(state.hits)
    }
    return { next, width: WIDTH, start: renamed[start] ?? 0, telling, hits }
  }

  #tells(index: number): boolean {
    return this.#at(index).hits.length > 0
  }

  #at(index: number): State {
    const state = this.#states[index]
    if (!state) throw new Error('no such state')
    return state
  }

  #fill(index: number): void {
    const { places, edge, targets } = this.#at(index)
    for (let on = 0; on < CLASS_COUNT; on += 1) {
      const reached = new Set<number>()
      for (const place of places) this.#move(place, on, reached)
      targets[on] = reached.size === 0 ? this.#begun(edge, on) : this.#joined(reached, edge, on)
    }
  }

  /** Where one goes that is in no pattern yet: the same from wherever it comes. */
  #begun(edge: number, on: CharClass): number {
    const at = edge * CLASS_COUNT + on
    const known = this.#begunAt[at]
    if (known !== undefined) return known
    const begun = this.#joined(new Set(), edge, on)
    this.#begunAt[at] = begun
    return begun
  }

  #joined(reached: Set<number>, edge: number, on: CharClass): number {
    for (const place of this.#started(edge, on)) reached.add(place)
    const after = isWordLowered(on) ? 0 : isWordClass(on) ? 2 : 1
    return this.#state([...reached], after, on === NEWLINE)
  }

  #started(edge: number, on: CharClass): ReadonlySet<number> {
    const at = edge * CLASS_COUNT + on
    const known = this.#startedAt[at]
    if (known !== undefined) return known
    const started = new Set<number>()
    for (const place of this.#beginnings[edge] ?? []) this.#move(place, on, started)
    this.#startedAt[at] = started
    return started
  }

  /** Where one place goes on a character: a step that may be left out is tried and passed over. */
  #move(place: number, on: CharClass, reached: Set<number>): void {
    const owner = this.#owner[place] ?? 0
    const steps = this.#patterns[owner]?.steps ?? []
    for (let at = place - (this.#offsets[owner] ?? 0); at < steps.length; at += 1) {
      const step = steps[at]
      if (!step) return
      if (step.on.includes(on)) reached.add((this.#offsets[owner] ?? 0) + at + (step.many ? 0 : 1))
      if (!step.many) return
    }
  }

  #state(reached: readonly number[], edge: number, isNewline: boolean): number {
    const hits: number[] = []
    const places: number[] = []
    for (const place of [...reached].sort((a, b) => a - b)) {
      const owner = this.#owner[place] ?? 0
      const pattern = this.#patterns[owner]
      if (!pattern) continue
      if (place - (this.#offsets[owner] ?? 0) === pattern.steps.length) hits.push(pattern.hit)
      else places.push(place)
    }
    // Last: what ends with the line still belongs to it.
    if (isNewline) hits.push(this.#tellLines)
    const key = `${places.join()}|${edge}|${hits.join()}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const index = this.#states.push({ places, edge, hits, targets: new Int32Array(CLASS_COUNT) }) - 1
    this.#known.set(key, index)
    return index
  }
}
