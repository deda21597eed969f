import { type Fields, toFields, toText } from './fields.ts'
import type { Row } from './transcript-row.ts'

/**
 * Collects a reply from its blocks. Each block is a row with the reply's id and usage, and only the last row
 * is final.
 */
export interface Replies {
  readonly take: (row: Row, agent: string) => Taken
}

interface Taken {
  readonly usages: readonly (Fields & { readonly event: 'usage'; readonly id: string })[]
  /** This is true when the agent has nothing more to do in this turn. */
  readonly ended: boolean
  /** The text of the reply so far. */
  readonly text: string
}

interface Reply {
  readonly id: string
  readonly usage: Taken['usages'][number]
  readonly text: string
  readonly reported: boolean
  readonly calls: boolean
}

const MOST_TEXT = 65_536
const GOES_ON: ReadonlySet<string> = new Set(['tool_use', 'pause_turn'])

export function createReplies(): Replies {
  const replies = new Map<string, Reply>()
  return {
    take: (row, agent) => {
      const id = toText(row.message.id)?.slice(0, 200) ?? row.uuid
      const before = replies.get(agent)
      const own = before?.id === id ? before : undefined
      const unfinished = own === undefined && before && !before.reported ? [before.usage] : []
      const stop = toText(row.message.stop_reason)
      const usage = readUsage(row, id, agent)
      const final = stop !== undefined && usage !== undefined && own?.reported !== true
      const spoke = row.blocks.some(({ type }) => type !== 'thinking' && type !== 'redacted_thinking')
      const calls = own?.calls === true || row.blocks.some(({ type }) => type === 'tool_use')
      const text = [own?.text, row.text].filter(Boolean).join('\n').slice(-MOST_TEXT)
      const latest = usage ?? own?.usage
      if (latest)
        replies.set(agent, { id, usage: latest, text, reported: own?.reported === true || final, calls })
      return {
        usages: final ? [...unfinished, usage] : unfinished,
        ended: stop !== undefined && !GOES_ON.has(stop) && spoke && !calls,
        text,
      }
    },
  }
}

function readUsage(row: Row, id: string, agent: string): Reply['usage'] | undefined {
  const usage = toFields(row.message.usage)
  const count = (value: unknown): number | undefined =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
  const counts = {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cache_read: count(usage.cache_read_input_tokens),
    cache_write: count(usage.cache_creation_input_tokens),
    cache_write_1h: count(toFields(usage.cache_creation).ephemeral_1h_input_tokens),
  }
  const present = Object.entries(counts).filter(([, value]) => value !== undefined)
  if (present.length === 0) return undefined
  const model = toText(row.message.model)
  const named = model === undefined ? {} : { model }
  return { event: 'usage', id, agent_id: agent, ...named, ...Object.fromEntries(present) }
}
