import type { ChatUsage, ErrorClass, TokenUsage } from '@panoptes/schema'

/** What one model call used. */
export interface CallUsage {
  readonly provider: string
  readonly model: string
  /** The usage that the provider reported; null if it reported none. */
  readonly usage: TokenUsage | null
  readonly costMicroUsd: number | null
  /** Why the call failed. */
  readonly error: ErrorClass | null
  /** The agent that made the call, if it is not the answerer. */
  readonly agent?: string | undefined
}

/** Errors after which a call costs nothing, because it was refused or never sent. */
const FREE_ERRORS: ReadonlySet<ErrorClass> = new Set([
  'auth',
  'invalid',
  'not_found',
  'too_long',
  'rate_limited',
  'skipped',
])

const COUNTS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

/** Contains only what was reported. */
export function toChatUsage(usage: TokenUsage): ChatUsage {
  return Object.fromEntries(
    COUNTS.flatMap((name) => (usage[name] === null ? [] : [[name, usage[name]]])),
  ) as ChatUsage
}

/** The total usage of a run. The cost is unknown if any part of it is. */
export function sumUsage(spent: readonly CallUsage[]): {
  readonly usage?: ChatUsage
  readonly cost_micro_usd?: number | null
} {
  const paid = spent.filter(({ usage, error }) => usage !== null || error === null || !FREE_ERRORS.has(error))
  if (paid.length === 0) return {}
  const sums: Record<string, number> = {}
  for (const { usage } of paid)
    for (const name of COUNTS) if (usage?.[name] != null) sums[name] = (sums[name] ?? 0) + usage[name]
  const isPriced = paid.every(({ costMicroUsd }) => costMicroUsd !== null)
  return {
    ...(Object.keys(sums).length === 0 ? {} : { usage: sums as ChatUsage }),
    cost_micro_usd: isPriced ? paid.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0) : null,
  }
}
