import type { MoaTurn } from '@panoptes/schema'

interface Waiting {
  /** The turn as it was last stored. */
  turn: MoaTurn
  lines: number
  problem: string | null
}

/** How many turns with a lost line are remembered while they continue. */
const MOST = 1_000

/** Records in stored turns why their texts are missing when a line could not be written. */
export interface TraceStatus {
  /** Returns the turn to store. `isWritten` is true while one of its lines is being written. */
  readonly annotate: (turn: MoaTurn, isWritten: boolean) => MoaTurn
  /** Call it when a line was written or lost. It returns the turn if it has to be stored again. */
  readonly ended: (id: string, problem: string | null) => MoaTurn | undefined
}

export function createTraceStatus(): TraceStatus {
  const pending = new Map<string, Waiting>()
  const withProblem = ({ turn, problem }: Waiting): MoaTurn =>
    problem === null ? turn : { ...turn, traced: false, trace_problem: problem }
  return {
    annotate: (turn, isWritten) => {
      const before = pending.get(turn.id)
      if (before === undefined && !isWritten) return turn
      const one = before ?? { turn, lines: 0, problem: null }
      one.turn = turn
      if (isWritten) one.lines += 1
      pending.set(turn.id, one)
      const [oldest] = pending.keys()
      if (pending.size > MOST && oldest !== undefined) pending.delete(oldest)
      return withProblem(one)
    },
    ended: (id, problem) => {
      const one = pending.get(id)
      if (one === undefined) return undefined
      one.lines -= 1
      one.problem ??= problem
      if (one.lines === 0 && one.problem === null) pending.delete(id)
      return problem === null ? undefined : withProblem(one)
    },
  }
}
