import {
  type CharClass,
  CLASS_COUNT,
  isWordClass,
  isWordLowered,
  NEWLINE,
  SPACES,
  SURROGATE,
} from './classes.ts'

/** One character, or any number of characters, of some classes. */
export interface Step {
  readonly on: readonly CharClass[]
  readonly many: boolean
}

export interface Pattern {
  /** The index reported for a match. */
  readonly hit: number
  /**
   * Where a match may begin: anywhere, at a word boundary, or at a word boundary of the lower-cased
   * text.
   */
  readonly begins: 'anywhere' | 'word' | 'lowered-word'
  readonly steps: readonly Step[]
  /** It matches only at the end of a word, and is reported one character late. */
  readonly endsWord: boolean
}

export interface Automaton {
  /** `next[state + class]`; states are multiples of `width`. */
  readonly next: Int32Array
  readonly width: number
  readonly start: number
  /** States from here on report something. */
  readonly telling: number
  /** Indexed by `(state - telling) / width`. */
  readonly hits: readonly (readonly number[])[]
  /**
   * Half a surrogate pair leads from a state to `pairs + state`, a pseudo-state that requires
   * looking at the pair.
   */
  readonly pairs: number
}

export const SPACE_RUN: Step = { on: SPACES, many: true }
export const A_SPACE: Step = { on: SPACES, many: false }

/**
 * Not rounded up to a power of two, because the most frequent states would then share cache lines.
 */
const WIDTH = CLASS_COUNT
const NO_WORDS = Array.from({ length: CLASS_COUNT }, (_, one) => one).filter((one) => !isWordClass(one))

/**
 * Compiles all patterns into one table: a text is read once, with one step per character. A state
 * is the set of pattern positions that the text so far has reached, and whether a word may begin.
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
  /**
   * 0 inside a word, 1 after one, 2 after a dotted I, which ends a word only in lower-cased text.
   */
  readonly edge: number
  readonly hits: readonly number[]
  readonly targets: Int32Array
}

class Builder {
  readonly #patterns: readonly Pattern[]
  readonly #tellLines: number
  /** Position `p` of pattern `n` is `offsets[n] + p`. */
  readonly #offsets: readonly number[]
  readonly #owner: readonly number[]
  readonly #states: State[] = []
  readonly #stateIndex = new Map<string, number>()
  /** Maps an edge and a class to the positions where patterns start, and to the resulting state. */
  readonly #started: readonly ReadonlyMap<CharClass, ReadonlySet<number>>[]
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
    this.#started = [0, 1, 2].map((edge) =>
      this.#moved(
        patterns.flatMap((pattern, index) => (mayBegin(edge)(pattern) ? [offsets[index] ?? 0] : [])),
      ),
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
    const pairs = next.length
    let telling = pairs
    for (const [to, from] of order.entries()) {
      const state = this.#at(from)
      for (let on = 0; on < WIDTH; on += 1) next[to * WIDTH + on] = renamed[state.targets[on] ?? 0] ?? 0
      next[to * WIDTH + SURROGATE] = pairs + to * WIDTH
      if (!this.#tells(from)) continue
      telling = Math.min(telling, to * WIDTH)
      hits.push(state.hits)
    }
    return { next, width: WIDTH, start: renamed[start] ?? 0, telling, hits, pairs }
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
    const reached = this.#moved(places)
    for (let on = 0; on < CLASS_COUNT; on += 1) {
      const here = reached.get(on)
      targets[on] = here ? this.#joined(here, edge, on) : this.#begun(edge, on)
    }
  }

  /** The transition without any active pattern, which is the same from every state. */
  #begun(edge: number, on: CharClass): number {
    const at = edge * CLASS_COUNT + on
    const existing = this.#begunAt[at]
    if (existing !== undefined) return existing
    const begun = this.#joined(new Set(), edge, on)
    this.#begunAt[at] = begun
    return begun
  }

  #joined(reached: Set<number>, edge: number, on: CharClass): number {
    for (const place of this.#started[edge]?.get(on) ?? []) reached.add(place)
    const after = isWordLowered(on) ? 0 : isWordClass(on) ? 2 : 1
    return this.#state([...reached], after, on === NEWLINE)
  }

  /** Returns the transitions by class; an optional step is both taken and skipped. */
  #moved(places: readonly number[]): ReadonlyMap<CharClass, Set<number>> {
    const moved = new Map<CharClass, Set<number>>()
    for (const place of places) {
      const owner = this.#owner[place] ?? 0
      const offset = this.#offsets[owner] ?? 0
      for (const [past, step] of (this.#patterns[owner]?.steps ?? []).slice(place - offset).entries()) {
        const target = place + past + (step.many ? 0 : 1)
        for (const on of step.on) {
          const existing = moved.get(on)
          if (existing) existing.add(target)
          else moved.set(on, new Set([target]))
        }
        if (!step.many) break
      }
    }
    return moved
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
    // Comes last, because a match that ends with the line still belongs to it.
    if (isNewline) hits.push(this.#tellLines)
    const key = `${places.join()}|${edge}|${hits.join()}`
    const existing = this.#stateIndex.get(key)
    if (existing !== undefined) return existing
    const index = this.#states.push({ places, edge, hits, targets: new Int32Array(CLASS_COUNT) }) - 1
    this.#stateIndex.set(key, index)
    return index
  }
}
