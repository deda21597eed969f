/** Stamps are compared in such blocks of the log; a block's time is what half of it has reached. */
export const BLOCK = 256
/** So many of the newest stamps tell how late it is, unless the blocks before them know it later. */
export const NEWEST = 15

export interface Reached {
  readonly seq: number
  /** The latest time of a block up to the seq. It never goes back, and a few wrong stamps do not move it. */
  readonly clock: number
}

/** The last seq of the block that was whole at a seq. */
export const wholeBlocks = (seq: number): number => seq - (seq % BLOCK)

/** The clock as events are told one after the other. */
export class Clock {
  #clock: number
  /** The stamps of the block under way, and the seq it ends with. */
  #block: number[]
  #end: number

  /** As it was at a seq, with the stamps of the block that was under way there. */
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

  /** At a seq that is not before the last event. Only a whole block tells the time. */
  at(seq: number): number {
    return seq < this.#end || this.#block.length === 0
      ? this.#clock
      : Math.max(this.#clock, middleOf(this.#block))
  }
}

const endOfBlock = (seq: number): number => Math.ceil(seq / BLOCK) * BLOCK

export function middleOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
