import type { Prices } from '@panoptes/engine/models'
import type { SessionSource } from '@panoptes/engine/sources'
import type { SessionIndex } from '@panoptes/engine/store'
import { orThrow, Refused } from '@panoptes/engine/worker-rpc'
import type {
  ContentBlock,
  Message,
  OutlineReply,
  PastMessage,
  PastSession,
  SessionRef,
  TranscriptReply,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { MessageQuery, TranscriptQuery } from './calls.ts'
import { Unread } from './export/read-errors.ts'
import { messageCost } from './index-message.ts'
import { Outline } from './outline.ts'
import { readMessages } from './search.ts'
import { cutBlock, wholeInput } from './truncate.ts'

/** The limit in characters: a page with large messages ends earlier and says where to continue. */
const MOST_REPLY = 4_194_304

/** The dependencies of a reader of past sessions. */
export interface Reading {
  readonly index: SessionIndex
  readonly sources: ReadonlyMap<string, SessionSource>
  readonly prices: Prices
}

/** Reads a page of a session from its source, with long blocks cut. */
export async function transcript(reading: Reading, query: TranscriptQuery): Promise<TranscriptReply> {
  const { session, source } = await sessionAt(reading, query)
  const agents = orThrow(await reading.index.agents(query.source, query.id))
  const messages: PastMessage[] = []
  let next: number | null = null
  let size = 0
  let unread = new Unread()
  const at = { session_id: query.id, place: session.place }
  for await (const { n, message } of readMessages(source, at, (part) => unread.add(part))) {
    // Parts skipped before a later page belong to the page before it.
    if (query.from > 0 && n <= query.from) unread = new Unread()
    if (n < query.from) continue
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
  const { session, source } = await sessionAt(reading, query)
  for await (const { n, message } of readMessages(source, { session_id: query.id, place: session.place })) {
    if (n === query.n) return pastMessage(message, n, reading.prices, wholeBlock)
  }
  throw new Refused(failure('not_found', `The session ${query.id} has no message ${query.n}.`))
}

/** Reads a whole session without its texts. */
export async function outline(reading: Reading, ref: SessionRef): Promise<OutlineReply> {
  const { session, source } = await sessionAt(reading, ref)
  const agents = orThrow(await reading.index.agents(ref.source, ref.id))
  const builder = new Outline()
  let n = 0
  for await (const record of source.read({ id: ref.id, place: session.place, fingerprint: '' })) {
    if (record.kind === 'skipped') builder.lack({ place: record.place, reason: record.reason })
    if (record.kind === 'failed') builder.lack({ place: session.place, reason: record.failure.message })
    if (record.kind !== 'message') continue
    builder.add(n, record.message, messageCost(record.message, reading.prices))
    n += 1
  }
  return builder.reply(session.fingerprint, agents)
}

export async function sessionAt(
  { index, sources }: Reading,
  { source: name, id }: SessionRef,
): Promise<{ readonly session: PastSession; readonly source: SessionSource }> {
  const session = orThrow(await index.get(name, id))
  const source = sources.get(name)
  if (session === null || source === undefined)
    throw new Refused(failure('not_found', `No session ${id} of ${name}.`))
  return { session, source }
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
