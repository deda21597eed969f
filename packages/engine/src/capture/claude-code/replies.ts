import { type Fields, fieldsOf, textOf } from './fields.ts'
import type { Row } from './transcript-row.ts'

/** A reply is written a block at a time, each in a row of its own with the reply's id and usage; only the last is final. */
export interface Replies {
  readonly take: (row: Row, agent: string) => Taken
}

interface Taken {
  readonly usages: readonly (Fields & { readonly event: 'usage'; readonly id: string })[]
  /** The agent has nothing more to do in this turn. */
  readonly ended: boolean
  /** What the reply said so far. */
  readonly text: string
}

interface Reply {
  readonly id: string
  readonly usage: Taken['usages'][number]
  readonly text: string
  readonly told: boolean
  readonly calls: boolean
}

const MOST_TEXT = 65_536
const GOES_ON: ReadonlySet<string> = new Set(['tool_use', 'pause_turn'])

export function createReplies(): Replies {
  const replies = new Map<string, Reply>()
  return {
    take: (row, agent) => {
      const id = textOf(row.message.id)?.slice(0, 200) ?? row.uuid
      const before = replies.get(agent)
      const own = before?.id === id ? before : undefined
      const unfinished = own === undefined && before && !before.told ? [before.usage] : []
      const stop = textOf(row.message.stop_reason)
      const usage = usageOf(row, id, agent)
      const final = stop !== undefined && usage !== undefined && own?.told !== true
      const spoke = row.blocks.some(({ type }) => type !== 'thinking' && type !== 'redacted_thinking')
      const calls = own?.calls === true || row.blocks.some(({ type }) => type === 'tool_use')
      const text = [own?.text, row.text].filter(Boolean).join('\n').slice(-MOST_TEXT)
      const kept = usage ?? own?.usage
      if (kept) replies.set(agent, { id, usage: kept, text, told: own?.told === true || final, calls })
      return {
        usages: final ? [...unfinished, usage] : unfinished,
        ended: stop !== undefined && !GOES_ON.has(stop) && spoke && !calls,
        text,
      }
    },
  }
}

function usageOf(row: Row, id: string, agent: string): Reply['usage'] | undefined {
  const usage = fieldsOf(row.message.usage)
  const count = (value: unknown): number | undefined =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
  const told = {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cache_read: count(usage.cache_read_input_tokens),
    cache_write: count(usage.cache_creation_input_tokens),
  }
  const known = Object.entries(told).filter(([, value]) => value !== undefined)
  if (known.length === 0) return undefined
  const model = textOf(row.message.model)
  const named = model === undefined ? {} : { model }
  return { event: 'usage', id, agent_id: agent, ...named, ...Object.fromEntries(known) }
}
