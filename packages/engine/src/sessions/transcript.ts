import type { SessionIndex } from '@panoptes/engine/ledger'
import type { Prices } from '@panoptes/engine/models'
import type { SessionSource } from '@panoptes/engine/sources'
import { orThrow, Refused } from '@panoptes/engine/threads'
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
import { cutBlock, wholeInput } from './cut.ts'
import { costOf } from './indexed.ts'
import { Outline } from './outline.ts'
import { messagesOf } from './search.ts'

/** In characters: a reply of large messages ends earlier, and says where it goes on. */
const MOST_REPLY = 4_194_304

/** What a reader of past sessions works with. */
export interface Reading {
  readonly index: SessionIndex
  readonly sources: ReadonlyMap<string, SessionSource>
  readonly prices: Prices
}

/** A part of a session as its source keeps it, long blocks of it cut. */
export async function transcript(reading: Reading, query: TranscriptQuery): Promise<TranscriptReply> {
  const { session, source } = await sessionAt(reading, query)
  const agents = orThrow(await reading.index.agents(query.source, query.id))
  const messages: PastMessage[] = []
  let next: number | null = null
  let size = 0
  for await (const { n, message } of messagesOf(source, { session_id: query.id, place: session.place })) {
    if (n < query.from) continue
    if (messages.length >= query.limit || size >= MOST_REPLY) {
      next = n
      break
    }
    const shown = pastMessage(message, n, reading.prices, cutBlock)
    size += JSON.stringify(shown.content).length
    messages.push(shown)
  }
  return { session, agents: [...agents], messages, next }
}

/** One message with all that is in it. */
export async function wholeMessage(reading: Reading, query: MessageQuery): Promise<PastMessage> {
  const { session, source } = await sessionAt(reading, query)
  for await (const { n, message } of messagesOf(source, { session_id: query.id, place: session.place })) {
    if (n === query.n) return pastMessage(message, n, reading.prices, wholeBlock)
  }
  throw new Refused(failure('not_found', `The session ${query.id} has no message ${query.n}.`))
}

/** A whole session without its words. */
export async function outline(reading: Reading, ref: SessionRef): Promise<OutlineReply> {
  const { session, source } = await sessionAt(reading, ref)
  const agents = orThrow(await reading.index.agents(ref.source, ref.id))
  const told = new Outline()
  let n = 0
  for await (const record of source.read({ id: ref.id, place: session.place, fingerprint: '' })) {
    if (record.kind === 'skipped') told.lack({ place: record.place, reason: record.reason })
    if (record.kind === 'failed') told.lack({ place: session.place, reason: record.failure.message })
    if (record.kind !== 'message') continue
    told.add(n, record.message, costOf(record.message, reading.prices))
    n += 1
  }
  return told.reply(session.fingerprint, agents)
}

export async function sessionAt(
  { index, sources }: Reading,
  { source: name, id }: SessionRef,
): Promise<{ readonly session: PastSession; readonly source: SessionSource }> {
  const session = orThrow(await index.get(name, id))
  const source = sources.get(name)
  if (session === null || source === undefined)
    throw new Refused(failure('not_found', `There is no session ${id} of ${name}.`))
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
  return { ...message, n, content, cost_micro_usd: costOf(message, prices), cut }
}

const wholeBlock = (block: ContentBlock): ContentBlock =>
  block.type === 'tool_call' ? { ...block, input: wholeInput(block.input) } : block
