import type { Prices } from '@panoptes/engine/models'
import { orThrow, Refused } from '@panoptes/engine/worker-rpc'
import type {
  ContentBlock,
  Message,
  OutlineReply,
  PastMessage,
  PastSession,
  SessionRef,
  TranscriptReply,
  UnreadPart,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { MessageQuery, TranscriptQuery } from './calls.ts'
import { Unread } from './export/read-errors.ts'
import { messageCost } from './index-message.ts'
import { Outline } from './outline.ts'
import { readMessages, type Texts } from './search.ts'
import { cutBlock, wholeInput } from './truncate.ts'

/** The limit in characters: a page with large messages ends earlier and says where to continue. */
const MOST_REPLY = 4_194_304

/** The dependencies of a reader of past sessions. */
export interface Reading extends Texts {
  readonly prices: Prices
}

/** Reads a page of a session, with long blocks cut. */
export async function transcript(reading: Reading, query: TranscriptQuery): Promise<TranscriptReply> {
  const session = await sessionAt(reading, query)
  const agents = orThrow(await reading.index.agents(query.source, query.id))
  const messages: PastMessage[] = []
  let next: number | null = null
  let size = 0
  const unread = new Unread()
  const skipped = (part: UnreadPart) => unread.add(part)
  const isTail = !session.archived && query.from + query.limit > session.messages
  for await (const { n, message } of readMessages(reading, session, { from: query.from, isTail, skipped })) {
    if (messages.length >= query.limit || size >= MOST_REPLY) {
      next = n
      break
    }
    const shown = pastMessage(message, n, reading.prices, cutBlock)
    size += JSON.stringify(shown.content).length
    messages.push(shown)
  }
  return {
    session,
    agents: [...agents],
    messages,
    next,
    unread: unread.count,
    unread_parts: unread.parts,
  }
}

/** Reads one message with all of its content. */
export async function wholeMessage(reading: Reading, query: MessageQuery): Promise<PastMessage> {
  const session = await sessionAt(reading, query)
  const isTail = !session.archived && query.n >= session.messages
  for await (const { n, message } of readMessages(reading, session, { from: query.n, isTail })) {
    if (n === query.n) return pastMessage(message, n, reading.prices, wholeBlock)
  }
  throw new Refused(failure('not_found', `The session ${query.id} has no message ${query.n}.`))
}

/** Reads a whole session without its texts. */
export async function outline(reading: Reading, ref: SessionRef): Promise<OutlineReply> {
  const session = await sessionAt(reading, ref)
  const agents = orThrow(await reading.index.agents(ref.source, ref.id))
  const builder = new Outline()
  try {
    for await (const { n, message } of readMessages(reading, session, {
      skipped: (part) => builder.lack(part),
    }))
      builder.add(n, message, messageCost(message, reading.prices))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    builder.lack({ place: session.place, reason: error.failure.message })
  }
  return builder.reply(session.fingerprint, agents)
}

export async function sessionAt(
  { index, sources }: Reading,
  { source: name, id }: SessionRef,
): Promise<PastSession> {
  const session = orThrow(await index.get(name, id))
  if (session === null || !sources.has(name))
    throw new Refused(failure('not_found', `No session ${id} of ${name}.`))
  return session
}

function pastMessage(
  message: Message,
  n: number,
  prices: Prices,
  shown: (block: ContentBlock) => ContentBlock,
): PastMessage {
  const content = message.content.map(shown)
  const cut = content.some((block) => block.left_out !== undefined)
  return { ...message, n, content, cost_micro_usd: messageCost(message, prices), cut }
}

const wholeBlock = (block: ContentBlock): ContentBlock =>
  block.type === 'tool_call' ? { ...block, input: wholeInput(block.input) } : block
