import type { SessionIndex } from '@panoptes/engine/ledger'
import type { SessionSource } from '@panoptes/engine/sources'
import type { ContentBlock, Message, TranscriptReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { TranscriptQuery } from './calls.ts'
import { orThrow, Refused } from './refused.ts'
import { messagesOf } from './search.ts'

/** Longer texts are shown by their beginning; what was left out is counted. */
const MOST_TEXT = 100_000

/** A part of a session as its source keeps it. */
export async function transcript(
  index: SessionIndex,
  sources: ReadonlyMap<string, SessionSource>,
  query: TranscriptQuery,
): Promise<TranscriptReply> {
  const session = orThrow(await index.get(query.source, query.id))
  const source = sources.get(query.source)
  if (session === null || source === undefined)
    throw new Refused(failure('not_found', `There is no session ${query.id} of ${query.source}.`))
  const agents = orThrow(await index.agents(query.source, query.id))
  const messages: Message[] = []
  let next: number | null = null
  for await (const { n, message } of messagesOf(source, { session_id: query.id, place: session.place })) {
    if (n < query.from) continue
    if (messages.length >= query.limit) {
      next = n
      break
    }
    messages.push({ ...message, content: message.content.map(shortened) })
  }
  return { session, agents: [...agents], messages, next }
}

function shortened(block: ContentBlock): ContentBlock {
  if (!('text' in block) || typeof block.text !== 'string' || block.text.length <= MOST_TEXT) return block
  return { ...block, text: block.text.slice(0, MOST_TEXT), left_out: block.text.length - MOST_TEXT }
}
