import type { TurnPart } from '@panoptes/engine/moa'
import type { RuntimeProgress } from '../port.ts'

export interface AdviceNodes {
  readonly idOf: (turn: string, iteration: number, at: number) => string
  /** What a part of a turn is in the progress of a run. */
  readonly progress: (part: TurnPart) => readonly RuntimeProgress[]
}

/** References of a turn, as agents that come and go. */
export function adviceNodes(): AdviceNodes {
  const began = new Map<string, number>()
  const labels = new Map<string, string>()
  return {
    idOf,
    progress: (part) => {
      if (part.type === 'asking')
        return part.references.map(({ label, model }, at) => {
          const node_id = idOf(part.turn_id, part.iteration, at)
          began.set(node_id, performance.now())
          labels.set(node_id, label)
          return { type: 'progress', node_id, kind: 'subagent', status: 'started', label, detail: { model } }
        })
      if (part.type !== 'progress') return []
      const node_id = idOf(part.turn_id, part.iteration, part.at)
      const since = began.get(node_id)
      const isLeftOut = part.error === 'skipped' || part.error === 'aborted'
      return [
        {
          type: 'progress',
          node_id,
          kind: 'subagent',
          status: part.error === null ? 'completed' : isLeftOut ? 'skipped' : 'failed',
          label: labels.get(node_id) ?? part.label,
          detail: { done: part.refs_done, of: part.refs_total, ...(part.error ? { error: part.error } : {}) },
          ...(since === undefined ? {} : { elapsed_ms: performance.now() - since }),
        },
      ]
    },
  }
}

/** Short enough to be read, and nobody else's in its conversation. */
const idOf = (turn: string, iteration: number, at: number): string =>
  `agent:ref-${turn.slice(0, 8)}-${iteration === 1 ? '' : `${iteration}-`}${at + 1}`
