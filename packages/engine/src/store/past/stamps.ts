/**
 * Timestamps are compared in blocks of this many events. A block's time is the one that half of its events
 * have reached.
 */
export const BLOCK = 256
/** This many of the newest timestamps decide the time, unless earlier blocks already reached a later one. */
export const NEWEST = 15

export interface Reached {
  readonly seq: number
  /**
   * The latest time of a block up to the seq. It never goes back, and a few wrong timestamps do not move it.
   */
  readonly clock: number
}

/** Returns the last seq of the last complete block at a seq. */
export const floorToBlock = (seq: number): number => seq - (seq % BLOCK)

/** The clock that follows events one after the other. */
export class Clock {
  #clock: number
  /** The timestamps of the current block, and the seq of its last event. */
  #block: number[]
  #end: number

  /** Continues from the state at a seq, with the timestamps of the block that was incomplete there. */
  constructor(clock: number, block: readonly number[], seq: number) {
    this.#clock = clock
    this.#block = [...block]
    this.#end = endOfBlock(seq)
  }

  saw(seq: number, ts: number): void {
    if (seq > this.#end) {
      this.#clock = this.at(seq - 1)
      this.#block = []
      this.#end = endOfBlock(seq)
    }
    this.#block.push(ts)
  }

  /** Returns the time at a seq that is not before the last event. Only a complete block tells the time. */
  at(seq: number): number {
    return seq < this.#end || this.#block.length === 0
      ? this.#clock
      : Math.max(this.#clock, lowerMedian(this.#block))
  }
}

const endOfBlock = (seq: number): number => Math.ceil(seq / BLOCK) * BLOCK

export function lowerMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
