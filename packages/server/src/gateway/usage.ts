import type { TurnCall } from '@panoptes/engine/moa'
import { asOpenaiUsage } from '@panoptes/engine/models'
import type { TokenUsage } from '@panoptes/schema'

type Counted = Pick<
  TokenUsage,
  'input' | 'output' | 'cache_read' | 'cache_write' | 'cache_write_1h' | 'reasoning'
>

const add = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)

const plus = (a: Counted, b: Counted): Counted => ({
  input: add(a.input, b.input),
  output: add(a.output, b.output),
  cache_read: add(a.cache_read, b.cache_read),
  cache_write: add(a.cache_write, b.cache_write),
  cache_write_1h: add(a.cache_write_1h, b.cache_write_1h),
  reasoning: add(a.reasoning, b.reasoning),
})

/** What a call took with all its references, and each slot alone in a field of ours. Nothing where nobody told anything. */
export function usageOf({ advised, acted, turnId, iteration, fanOut }: TurnCall): object | undefined {
  const slots = [...advised, ...(acted ? [acted] : [])]
  const told = slots.flatMap(({ usage }) => (usage ? [usage] : []))
  const [first, ...others] = told
  const breakdown = {
    turn_id: turnId,
    iteration,
    fan_out: fanOut,
    slots: slots.map(({ label, usage, costMicroUsd, startedAt, endedAt, error }, at) => ({
      role: acted && at === slots.length - 1 ? 'aggregator' : 'reference',
      label,
      usage: usage && asOpenaiUsage(usage),
      cost_usd: costMicroUsd === null ? null : costMicroUsd / 1_000_000,
      duration_ms: endedAt - startedAt,
      error: error?.class ?? null,
    })),
  }
  return first === undefined
    ? undefined
    : { ...asOpenaiUsage(others.reduce<Counted>(plus, first)), panoptes: breakdown }
}
