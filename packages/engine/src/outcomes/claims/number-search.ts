import type { Figure, Kind } from './figures.ts'

/**
 * Wanted numbers of one kind and precision. `bare` numbers have no unit, `lone` ones no word
 * either, and `face` ones may have both.
 */
interface Lane {
  readonly kind: Kind | 'bare' | 'lone' | 'face'
  readonly step: number | null
  readonly values: Map<number, number>
}

/** The numbers of a session's claims, indexed so that a text is scanned once for all of them. */
export class Sought {
  readonly #lanes: Lane[] = []
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Adds a number and returns its marks. A count is not found by a number with a unit. */
  add(figure: Figure, counts: boolean): readonly number[] {
    const { kind, value, face, step, faceStep, hasUnit } = figure
    if (kind === 'plain' && !hasUnit) return [this.#mark(counts ? 'bare' : 'face', faceStep, face)]
    if (kind === 'plain') return [this.#mark(kind, step, value)]
    return [
      this.#mark(kind, step, value),
      this.#mark('lone', faceStep, face),
      // A number without a unit may use another one: `timeout = 30_000`.
      ...(kind === 'duration'
        ? [this.#mark('lone', null, value), this.#mark('lone', null, value / 1_000)]
        : []),
      ...(kind === 'percent' ? [this.#mark('lone', (faceStep ?? 1) / 100, face / 100)] : []),
    ]
  }

  /** Calls back with the marks that a number of a text matches. */
  forEachMark(figure: Figure, heard: (mark: number) => void): void {
    for (const { kind, step, values } of this.#lanes) {
      const value = valueFor(kind, figure)
      if (value === undefined) continue
      const mark = values.get(grained(value, step))
      if (mark !== undefined) heard(mark)
    }
  }

  #mark(kind: Lane['kind'], step: number | null, value: number): number {
    let lane = this.#lanes.find((each) => each.kind === kind && each.step === step)
    if (lane === undefined) {
      lane = { kind, step, values: new Map() }
      this.#lanes.push(lane)
    }
    const key = grained(value, step)
    const existing = lane.values.get(key)
    if (existing !== undefined) return existing
    lane.values.set(key, this.#count)
    this.#count += 1
    return this.#count - 1
  }
}

function valueFor(kind: Lane['kind'], figure: Figure): number | undefined {
  if (kind === 'face') return figure.face
  if (kind === 'bare') return figure.hasUnit ? undefined : figure.face
  if (kind === 'lone') return figure.isLone ? figure.face : undefined
  return figure.kind === kind ? figure.value : undefined
}

const grained = (value: number, step: number | null): number =>
  step === null ? value : Math.round(value / step + 1e-9)
