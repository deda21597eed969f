import type { ChatUsage, ErrorClass, TokenUsage } from '@panoptes/schema'

/** What one call of a model took. */
export interface Spent {
  readonly provider: string
  readonly model: string
  /** As the provider told it; null where it told nothing. */
  readonly usage: TokenUsage | null
  readonly costMicroUsd: number | null
  /** Why it gave nothing. */
  readonly error: ErrorClass | null
  /** Whose call it is, where it is not that of who answers. */
  readonly agent?: string | undefined
}

/** Who was refused, or not asked at all, has taken nothing. */
const FREE: ReadonlySet<ErrorClass> = new Set([
  'auth',
  'invalid',
  'not_found',
  'too_long',
  'rate_limited',
  'skipped',
])

const COUNTS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

/** What was told of it; what was not is absent. */
export function usageOf(usage: TokenUsage): ChatUsage {
  return Object.fromEntries(
    COUNTS.flatMap((name) => (usage[name] === null ? [] : [[name, usage[name]]])),
  ) as ChatUsage
}

/** All that a run took. A sum of money in which one part is not known is not known. */
export function sumOf(spent: readonly Spent[]): {
  readonly usage?: ChatUsage
  readonly cost_micro_usd?: number | null
} {
  const paid = spent.filter(({ usage, error }) => usage !== null || error === null || !FREE.has(error))
  if (paid.length === 0) return {}
  const sums: Record<string, number> = {}
  for (const { usage } of paid)
    for (const name of COUNTS) if (usage?.[name] != null) sums[name] = (sums[name] ?? 0) + usage[name]
  const isKnown = paid.every(({ costMicroUsd }) => costMicroUsd !== null)
  return {
    ...(Object.keys(sums).length === 0 ? {} : { usage: sums as ChatUsage }),
    cost_micro_usd: isKnown ? paid.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0) : null,
  }
}
