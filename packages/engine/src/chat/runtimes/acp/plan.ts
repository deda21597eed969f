import { labelOf } from '../bounded.ts'
import { listOf, textOf } from '../fields.ts'
import type { RuntimeEvent, RuntimeProgress } from '../port.ts'

const MOST_ENTRIES = 100
const STATUS: Readonly<Record<string, RuntimeProgress['status']>> = {
  in_progress: 'running',
  completed: 'completed',
  cancelled: 'skipped',
}

/** The plan that an agent made for itself, each time as a whole; steps that it has come to are told one by one. */
export function* planOf(entries: unknown): Generator<RuntimeEvent> {
  const steps = listOf(entries)
    .slice(0, MOST_ENTRIES)
    .map((entry, at) => ({
      id: `own-plan-${at + 1}`,
      label: labelOf(textOf(entry.content), `Step ${at + 1}`),
      status: STATUS[textOf(entry.status)],
    }))
  if (steps.length === 0) return
  const done = steps.filter(({ status }) => status === 'completed').length
  yield {
    type: 'progress',
    node_id: 'own-plan',
    kind: 'plan',
    status: done === steps.length ? 'completed' : 'running',
    label: `Its own plan: ${done} of ${steps.length} done`,
    detail: {
      decision: 'sequential',
      worthiness: 1,
      reasons: [],
      nodes: steps.map(({ id, label }) => ({ id, label, work: 0 })),
      edges: [],
    },
  }
  for (const { id, label, status } of steps)
    if (status) yield { type: 'progress', node_id: id, parent_id: 'own-plan', kind: 'step', status, label }
}
