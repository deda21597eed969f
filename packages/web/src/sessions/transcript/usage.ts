import type { PastMessage } from '@panoptes/schema'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { moneyText } from '../cost.ts'

const t = words.transcript.tokens

/** The usage of some replies; a kind of token that no reply reports is null. */
export interface UsageSum {
  readonly input: number | null
  readonly cache_read: number | null
  readonly cache_write: number | null
  readonly output: number | null
  readonly replies: number
  /** Replies that do not report their tokens. */
  readonly unknown: number
  readonly money: string
}

/** Sums the usage of replies; null if none of them reports any. */
export function sumUsage(messages: readonly PastMessage[]): UsageSum | null {
  const replies = messages.filter(({ role, model }) => role === 'assistant' && model !== null)
  const usages = replies.flatMap(({ usage }) => usage ?? [])
  if (usages.length === 0) return null
  const sum = (name: 'input' | 'cache_read' | 'cache_write' | 'output') =>
    usages.reduce<number | null>((all, { [name]: own }) => (own === null ? all : (all ?? 0) + own), null)
  const costs = replies.flatMap(({ cost_micro_usd: cost }) => cost ?? [])
  return {
    input: sum('input'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
    output: sum('output'),
    replies: replies.length,
    unknown: replies.length - usages.length,
    money: moneyText(
      costs.reduce((all, cost) => all + cost, 0),
      replies.length - costs.length,
    ),
  }
}

export const tokensText = (took: UsageSum): string =>
  [
    t.replies(took.replies),
    ...(['input', 'cache_read', 'cache_write', 'output'] as const).map((name) => {
      const tokens = took[name]
      return `${t[name]} ${tokens === null ? words.unknown : f.count(tokens)}`
    }),
    ...(took.unknown > 0 ? [`${t.unknown} ${t.replies(took.unknown)}`] : []),
  ].join(', ')

/** Returns the cost of a call: that of its reply, divided by the number of calls in it. */
export function callCost(message: PastMessage): { readonly text: string; readonly note: string } | null {
  if (message.role !== 'assistant' || message.model === null) return null
  const calls = message.content.filter((block) => block.type === 'tool_call').length
  const { cost_micro_usd: cost } = message
  if (cost === null || calls === 0) return { text: words.unknown, note: words.sessions.costUnknown }
  const money = moneyText(cost / calls, 0)
  if (calls === 1) return { text: money, note: words.transcript.callCost }
  return { text: `~${money}`, note: words.transcript.callShare(moneyText(cost, 0), calls) }
}
