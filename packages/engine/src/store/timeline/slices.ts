import type { Timeline } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import type { TimelineQuery } from '../port.ts'

type Slice = { -readonly [K in keyof Timeline['slices'][number]]: Timeline['slices'][number][K] }

export interface Slices {
  readonly width: number
  readonly slices: Slice[]
}

/** Cuts the span into empty slices of equal length. */
export function createSlices({ from, to, slices: wanted }: TimelineQuery): Slices {
  const width = Math.max(1, Math.ceil((to - from) / Math.max(1, wanted)))
  const count = Math.max(1, Math.ceil((to - from) / width))
  const slices = Array.from({ length: count }, (_, i) => ({
    ts: from + i * width,
    events: 0,
    errors: 0,
    alive: 0,
  }))
  return { width, slices }
}

export interface Life {
  readonly started: number
  readonly ended: number | null
}

/** Computes the line of living agents. */
export function countAlive({ width, slices }: Slices, query: TimelineQuery, lives: Iterable<Life>): void {
  const changes = new Array<number>(slices.length + 1).fill(0)
  const sliceIndex = (ts: number): number => clamp(Math.floor((ts - query.from) / width), 0, slices.length)
  for (const { started, ended } of lives) {
    if (started >= query.to) continue
    const first = sliceIndex(started)
    changes[first] = (changes[first] ?? 0) + 1
    if (ended === null) continue
    const last = sliceIndex(ended)
    changes[last] = (changes[last] ?? 0) - 1
  }
  let alive = 0
  slices.forEach((slice, i) => {
    alive += changes[i] ?? 0
    slice.alive = alive
  })
}
