import type { IndexedMessage } from '@panoptes/engine/ledger'
import type { Prices } from '@panoptes/engine/models'
import type { ContentBlock, Message } from '@panoptes/schema'
import type { Called } from './called.ts'

/** A tool's output is found by its beginning: the rest of a long one is seldom looked for, and is most of the text there is. */
const MOST_RESULT = 8_192
const MOST_TEXT = 262_144

/** What of a message goes into the index. `called` is told all messages of a session. */
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
    cost_micro_usd: costOf(message, prices),
  }
}

/** What a reply cost: as its source says, or where its price and its tokens are known. */
export const costOf = ({ usage, model, ts, cost_micro_usd }: Message, prices: Prices): number | null =>
  cost_micro_usd ?? (usage === null || model === null ? null : prices.costOf(model, usage, ts))

/** What a message is found by. */
export const searchText = ({ content }: Message): string =>
  content.map(textOf).filter(Boolean).join('\n').slice(0, MOST_TEXT)

function textOf(block: ContentBlock): string {
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

/** The texts in what a tool was given, without the names of its fields. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return []
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1))
}
