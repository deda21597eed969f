import { orThrow } from '@panoptes/engine/worker-rpc'
import type { ContentBlock, Message } from '@panoptes/schema'
import type { Opening, OpeningQuery } from './calls.ts'
import { readMessages } from './search.ts'
import { type Reading, sessionAt } from './transcript.ts'
import { wholeInput } from './truncate.ts'

const MAIN = 'main'
/** The limit in characters, so that fewer very large messages are returned. */
const MOST_HELD = 67_108_864

/**
 * Reads the beginning of a session. Reading stops at the next turn, or when no more messages of its own agent
 * can follow.
 */
export async function opening(reading: Reading, { source: name, id, turns }: OpeningQuery): Promise<Opening> {
  const session = await sessionAt(reading, { source: name, id })
  const agents = orThrow(await reading.index.agents(name, id))
  const ownMessages = agents.find((agent) => agent.id === MAIN)?.messages ?? 0
  const messages: Message[] = []
  let left = turns
  let held = 0
  for await (const { message } of readMessages(reading, session)) {
    if (message.agent_id !== MAIN) {
      // The session's own messages come first, or mixed with others in time order; the rest belongs to its
      // agents.
      if (messages.length >= ownMessages) break
      continue
    }
    if (isTurn(message)) left -= 1
    if (left < 0 || held > MOST_HELD) break
    const content = message.content.map(trimBlock)
    messages.push({ ...message, content })
    held += content.reduce((sum, block) => sum + blockLength(block), 0)
  }
  return { session, messages }
}

/** Rewound replies and compaction summaries are not turns. */
const isTurn = ({ role, state }: Message): boolean =>
  role === 'assistant' && state !== 'rewound' && state !== 'summary'

function trimBlock(block: ContentBlock): ContentBlock {
  if (block.type === 'image') return { ...block, data: null }
  return block.type === 'tool_call' ? { ...block, input: wholeInput(block.input) } : block
}

function blockLength(block: ContentBlock): number {
  if (block.type === 'image') return 0
  return block.type === 'tool_call' ? (JSON.stringify(block.input) ?? '').length : block.text.length
}
