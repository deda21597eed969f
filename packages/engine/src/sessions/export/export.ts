import { type FileHandle, open, rm } from 'node:fs/promises'
import { orThrow } from '@panoptes/engine/threads'
import type { ExportFormat, PastMessage, SessionMarks } from '@panoptes/schema'
import { costOf } from '../indexed.ts'
import { messagesOf } from '../search.ts'
import { type Reading, sessionAt } from '../transcript.ts'
import { html } from './html.ts'
import { jsonl } from './jsonl.ts'
import { markdown } from './markdown.ts'
import { Nest } from './nest.ts'
import { redactedAgent, redactedMessage, redactedSession } from './redacted.ts'
import type { Exported, Renderer } from './renderer.ts'
import { Unread } from './unread.ts'

export interface ExportQuery {
  readonly source: string
  readonly id: string
  readonly format: ExportFormat
  /** Where it is written; the file must not be there yet. */
  readonly file: string
  readonly marks?: Pick<SessionMarks, 'tags' | 'note'> | undefined
}

export interface ExportedFile {
  readonly messages: number
  readonly bytes: number
}

const RENDERERS: Readonly<Record<ExportFormat, Renderer>> = { jsonl, markdown, html }
const MOST_CALLS = 10_000
const CHUNK = 65_536

/** Writes a whole session into a file, one message in memory at a time, without the secrets in it. */
export async function exportSession(reading: Reading, query: ExportQuery): Promise<ExportedFile> {
  const { session: found, source } = await sessionAt(reading, query)
  const agents = orThrow(await reading.index.agents(query.source, query.id)).map(redactedAgent)
  const of: Exported = { session: redactedSession({ ...found, ...query.marks }), agents }
  const renderer = RENDERERS[query.format]
  const target = await open(query.file, 'wx', 0o600)
  try {
    const unread = new Unread()
    const messages = messagesIn(reading, source, { session_id: query.id, place: found.place }, unread)
    const piece: Piece = { target, renderer, of, messages, unread }
    return renderer.nested ? await writeNested(piece, `${query.file}.parts`) : await writeInOrder(piece)
  } catch (error) {
    await rm(query.file, { force: true })
    throw error
  } finally {
    await target.close()
  }
}

async function* messagesIn(
  { prices }: Reading,
  source: Parameters<typeof messagesOf>[0],
  at: Parameters<typeof messagesOf>[1],
  unread: Unread,
): AsyncGenerator<PastMessage> {
  for await (const { n, message } of messagesOf(source, at, (part) => unread.add(part)))
    yield redactedMessage({ ...message, n, cost_micro_usd: costOf(message, prices), cut: false })
}

/** What is written, how and where. What could not be read is known when all messages are. */
interface Piece {
  readonly target: FileHandle
  readonly renderer: Renderer
  readonly of: Exported
  readonly messages: AsyncIterable<PastMessage>
  readonly unread: Unread
}

async function writeInOrder({ target, renderer, of, messages, unread }: Piece): Promise<ExportedFile> {
  const out = writerOf(target)
  let count = 0
  await out(renderer.head(of))
  for await (const message of messages) {
    await out(renderer.message(message, 0, new Map()))
    count += 1
  }
  return { messages: count, bytes: await out(renderer.foot(unread)) }
}

/** The pieces are written beside the target in the order they are read, and put together when all of them are known. */
async function writeNested(
  { target, renderer, of, messages, unread }: Piece,
  partsFile: string,
): Promise<ExportedFile> {
  const parts = await open(partsFile, 'wx+', 0o600)
  try {
    const keep = writerOf(parts)
    const nest = new Nest(of.agents)
    const calls = new Map<string, Call>()
    let count = 0
    let at = 0
    for await (const message of messages) {
      noteCalls(calls, message)
      const end = await keep(renderer.message(timed(message, calls), nest.depthOf(message.agent_id), calls))
      nest.add(message, at, end)
      at = end
      count += 1
    }
    const out = writerOf(target)
    await out(renderer.head(of))
    for (const each of nest.told()) {
      if ('begins' in each) await out(renderer.agentBegins(each.begins, each.depth))
      else if ('ends' in each) await out(renderer.agentEnds(each.ends, each.depth))
      else await copy(parts, each.piece, out)
    }
    return { messages: count, bytes: await out(renderer.foot(unread)) }
  } finally {
    await parts.close()
    await rm(partsFile, { force: true })
  }
}

/** Appends a text and answers how long the file is then. */
function writerOf(file: FileHandle): (text: string | Uint8Array) => Promise<number> {
  let at = 0
  return async (text) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    if (bytes.length > 0) await file.writeFile(bytes)
    at += bytes.length
    return at
  }
}

async function copy(
  from: FileHandle,
  [start, end]: readonly [number, number],
  out: (bytes: Uint8Array) => Promise<number>,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK)
  for (let at = start; at < end; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(CHUNK, end - at), at)
    if (bytesRead === 0) return
    await out(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

interface Call {
  readonly tool: string
  readonly ts: number | null
}

function noteCalls(calls: Map<string, Call>, { content, ts }: PastMessage): void {
  for (const block of content) if (block.type === 'tool_call') calls.set(block.id, { tool: block.tool, ts })
  for (const oldest of calls.keys()) {
    if (calls.size <= MOST_CALLS) return
    calls.delete(oldest)
  }
}

/** A source that does not say how long a call took says when it began and when its result came. */
const timed = (message: PastMessage, calls: ReadonlyMap<string, Call>): PastMessage => ({
  ...message,
  content: message.content.map((block) => {
    if (block.type !== 'tool_result' || block.duration_ms !== null) return block
    const began = calls.get(block.id)?.ts ?? null
    const took = began === null || message.ts === null ? null : message.ts - began
    return { ...block, duration_ms: took === null || took < 0 ? null : took }
  }),
})
