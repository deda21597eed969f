import type { MoaTurn } from '@panoptes/schema'

interface Waiting {
  /** As it was kept last. */
  turn: MoaTurn
  lines: number
  problem: string | null
}

/** Turns that go on although a line of theirs was lost; so many are remembered. */
const MOST = 1_000

/** What is kept of turns says why their texts are not there, where a line could not be written. */
export interface ToldLines {
  /** A turn as it is to be kept, of which a line is being written where `isWritten`. */
  readonly kept: (turn: MoaTurn, isWritten: boolean) => MoaTurn
  /** A line of it is written, or is not; then the turn is to be kept once more. */
  readonly ended: (id: string, problem: string | null) => MoaTurn | undefined
}

export function toldLines(): ToldLines {
  const known = new Map<string, Waiting>()
  const told = ({ turn, problem }: Waiting): MoaTurn =>
    problem === null ? turn : { ...turn, traced: false, trace_problem: problem }
  return {
    kept: (turn, isWritten) => {
      const before = known.get(turn.id)
      if (before === undefined && !isWritten) return turn
      const one = before ?? { turn, lines: 0, problem: null }
      one.turn = turn
      if (isWritten) one.lines += 1
      known.set(turn.id, one)
      const [oldest] = known.keys()
      if (known.size > MOST && oldest !== undefined) known.delete(oldest)
      return told(one)
    },
    ended: (id, problem) => {
      const one = known.get(id)
      if (one === undefined) return undefined
      one.lines -= 1
      one.problem ??= problem
      if (one.lines === 0 && one.problem === null) known.delete(id)
      return problem === null ? undefined : told(one)
    },
  }
}
