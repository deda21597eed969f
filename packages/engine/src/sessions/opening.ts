import { orThrow } from '@panoptes/engine/threads'
import type { ContentBlock, Message } from '@panoptes/schema'
import type { Opening, OpeningQuery } from './calls.ts'
import { wholeInput } from './cut.ts'
import { messagesOf } from './search.ts'
import { type Reading, sessionAt } from './transcript.ts'

const MAIN = 'main'
/** In characters: of very large messages there are fewer. */
const MOST_HELD = 67_108_864

/** How a session began. Reading stops where the next turn begins, and where nothing more of its own agent can come. */
export async function opening(reading: Reading, { source: name, id, turns }: OpeningQuery): Promise<Opening> {
  const { session, source } = await sessionAt(reading, { source: name, id })
  const agents = orThrow(await reading.index.agents(name, id))
  const known = agents.find((agent) => agent.id === MAIN)?.messages ?? 0
  const messages: Message[] = []
  let left = turns
  let held = 0
  for await (const { message } of messagesOf(source, { session_id: id, place: session.place })) {
    if (message.agent_id !== MAIN) {
      // The session's own come first, or among the others in the order of their times: these are of its agents.
      if (messages.length >= known) break
      continue
    }
    if (isTurn(message)) left -= 1
    if (left < 0 || held > MOST_HELD) break
    const content = message.content.map(kept)
    messages.push({ ...message, content })
    held += content.reduce((sum, block) => sum + lengthOf(block), 0)
  }
  return { session, messages }
}

/** What was taken back and what a compaction says of it are no turns. */
const isTurn = ({ role, state }: Message): boolean =>
  role === 'assistant' && state !== 'rewound' && state !== 'summary'

function kept(block: ContentBlock): ContentBlock {
  if (block.type === 'image') return { ...block, data: null }
  return block.type === 'tool_call' ? { ...block, input: wholeInput(block.input) } : block
}

function lengthOf(block: ContentBlock): number {
  if (block.type === 'image') return 0
  return block.type === 'tool_call' ? (JSON.stringify(block.input) ?? '').length : block.text.length
}
