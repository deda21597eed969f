import type { Prices } from '@panoptes/engine/models'
import type { IndexedMessage } from '@panoptes/engine/store'
import type { ContentBlock, Message } from '@panoptes/schema'
import type { Called } from './call-names.ts'

/**
 * Only the beginning of a tool's output is indexed: the rest of a long output is rarely searched but makes up
 * most of the text.
 */
const MOST_RESULT = 8_192
const MOST_TEXT = 262_144

/** Converts a redacted message to its index entry. `called` must see all messages of a session. */
export function indexed(message: Message, prices: Prices, called: Called): IndexedMessage {
  const { id, agent_id, role, ts, model, usage, content } = message
  return {
    id,
    agent_id,
    role,
    ts,
    model,
    text: searchText(message),
    tools: content.flatMap((block) => (block.type === 'tool_call' ? [block.tool] : [])),
    errors: content.filter((block) => block.type === 'tool_result' && block.ok === false).length,
    failed: called.failedIn(message),
    usage,
    cost_micro_usd: messageCost(message, prices),
  }
}

/** Returns the cost of a reply: the source's own, or one computed from price and tokens. */
export const messageCost = ({ usage, model, ts, cost_micro_usd }: Message, prices: Prices): number | null =>
  cost_micro_usd ?? (usage === null || model === null ? null : prices.costOf(model, usage, ts))

/** Returns the searchable text of a redacted message. The index stores every word of it. */
export const searchText = ({ content }: Message): string =>
  content.map(blockText).filter(Boolean).join('\n').slice(0, MOST_TEXT)

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return block.text
    case 'tool_call':
      return textsIn(block.input).join(' ')
    case 'tool_result':
      return block.text.slice(0, MOST_RESULT)
    case 'image':
      return ''
  }
}

const MOST_DEPTH = 8

/** Collects the texts of a tool's input without field names. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return []
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1))
}
