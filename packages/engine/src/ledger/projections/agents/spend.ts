import type { AgentRow } from './row.ts'

interface UsageEvent {
  readonly input?: number | null | undefined
  readonly output?: number | null | undefined
  readonly cache_read?: number | null | undefined
  readonly cache_write?: number | null | undefined
  readonly cost_usd?: number | null | undefined
}

export function spend(row: AgentRow, event: UsageEvent): void {
  row.usage ??= { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_micro_usd: 0, cost_unknown: 0 }
  row.usage.input += event.input ?? 0
  row.usage.output += event.output ?? 0
  row.usage.cache_read += event.cache_read ?? 0
  row.usage.cache_write += event.cache_write ?? 0
  if (event.cost_usd === undefined || event.cost_usd === null) row.usage.cost_unknown += 1
  else row.usage.cost_micro_usd += Math.round(event.cost_usd * 1_000_000)
}

/** What counts elsewhere. */
export function unspend({ usage }: AgentRow, event: UsageEvent): void {
  if (!usage) return
  usage.input = less(usage.input, event.input)
  usage.output = less(usage.output, event.output)
  usage.cache_read = less(usage.cache_read, event.cache_read)
  usage.cache_write = less(usage.cache_write, event.cache_write)
  if (event.cost_usd === undefined || event.cost_usd === null)
    usage.cost_unknown = less(usage.cost_unknown, 1)
  else usage.cost_micro_usd = less(usage.cost_micro_usd, Math.round(event.cost_usd * 1_000_000))
}

const less = (so: number, by: number | null | undefined): number => Math.max(0, so - (by ?? 0))
