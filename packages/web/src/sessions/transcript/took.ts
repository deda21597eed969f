import type { PastMessage } from '@panoptes/schema'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { moneyText } from '../cost.ts'

const t = words.transcript.tokens

/** What some replies took, as far as that is known. */
export interface Took {
  readonly input: number
  readonly cache_read: number
  readonly cache_write: number
  readonly output: number
  readonly replies: number
  /** Replies that say nothing of their tokens. */
  readonly unknown: number
  readonly money: string
}

/** Null where no reply is among them that could say anything. */
export function tookTogether(messages: readonly PastMessage[]): Took | null {
  const replies = messages.filter(({ role, model }) => role === 'assistant' && model !== null)
  const told = replies.flatMap(({ usage }) => usage ?? [])
  if (told.length === 0) return null
  const sum = (name: 'input' | 'cache_read' | 'cache_write' | 'output') =>
    told.reduce((all, usage) => all + (usage[name] ?? 0), 0)
  const known = replies.flatMap(({ cost_micro_usd: cost }) => cost ?? [])
  return {
    input: sum('input'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
    output: sum('output'),
    replies: replies.length,
    unknown: replies.length - told.length,
    money: moneyText(
      known.reduce((all, cost) => all + cost, 0),
      replies.length - known.length,
    ),
  }
}

export const tokensText = (took: Took): string =>
  [
    t.replies(took.replies),
    ...(['input', 'cache_read', 'cache_write', 'output'] as const).map(
      (name) => `${t[name]} ${f.count(took[name])}`,
    ),
    ...(took.unknown > 0 ? [`${t.unknown} ${t.replies(took.unknown)}`] : []),
  ].join(', ')

/** What a call cost: that of the reply that asked for it, shared by all the calls in it. */
export function callCost(message: PastMessage): { readonly text: string; readonly note: string } | null {
  if (message.role !== 'assistant' || message.model === null) return null
  const calls = message.content.filter((block) => block.type === 'tool_call').length
  const { cost_micro_usd: cost } = message
  if (cost === null || calls === 0) return { text: words.unknown, note: words.sessions.costUnknown }
  const money = moneyText(cost / calls, 0)
  if (calls === 1) return { text: money, note: words.transcript.callCost }
  return { text: `~${money}`, note: words.transcript.callShare(moneyText(cost, 0), calls) }
}
