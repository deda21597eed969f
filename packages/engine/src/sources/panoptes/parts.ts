import type { SessionAgent, TokenUsage } from '@panoptes/schema'
import { countOf, fieldsOf, listOf, textOf } from '../fields.ts'
import { usageOf } from './usage.ts'

interface Spent {
  readonly usage: TokenUsage | null
  readonly cost_micro_usd: number | null
}

/** An agent that worked for an answer: a reference, or a branch of its plan. */
export interface Part extends Spent {
  readonly agent: SessionAgent
  readonly model: string | null
  readonly text: string | null
}

/** What the attachments of an answer tell of agents; what they took is only known of runtimes that are paid for here. */
export const partsOf = (attachments: unknown, isOurs: boolean): readonly Part[] =>
  listOf(attachments).flatMap((each) => {
    const { kind, data } = fieldsOf(each)
    return kind === 'agents' ? listOf(data).flatMap((one) => partOf(one, isOurs)) : []
  })

function partOf(value: unknown, isOurs: boolean): readonly Part[] {
  const fields = fieldsOf(value)
  const id = textOf(fields.id)
  if (id === null) return []
  return [
    {
      agent: {
        id,
        parent_id: textOf(fields.parent_id) ?? 'main',
        subagent_type: textOf(fields.subagent_type),
        description: textOf(fields.description),
        tool_use_id: null,
      },
      model: isOurs ? textOf(fields.model) : null,
      text: textOf(fields.text),
      usage: isOurs ? usageOf(fields.usage) : null,
      cost_micro_usd: isOurs ? countOf(fields.cost_micro_usd) : null,
    },
  ]
}

const COUNTS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

/** What an answer took as a whole, less what its agents took of it. */
export function withoutParts(whole: Spent, parts: readonly Part[]): Spent {
  const less = (count: number | null, taken: readonly (number | null)[]): number | null =>
    count === null ? null : Math.max(0, count - taken.reduce<number>((sum, each) => sum + (each ?? 0), 0))
  const { usage } = whole
  const counts = COUNTS.map((name) => [
    name,
    less(
      usage?.[name] ?? null,
      parts.map((part) => part.usage?.[name] ?? null),
    ),
  ])
  return {
    usage: usage && { ...usage, ...Object.fromEntries(counts) },
    cost_micro_usd: less(
      whole.cost_micro_usd,
      parts.map((part) => part.cost_micro_usd),
    ),
  }
}
