import { type FileHandle, open, rm } from 'node:fs/promises'
import { formatSafeJson, redactText } from '@panoptes/engine/redact'
import { orThrow } from '@panoptes/engine/worker-rpc'
import type { ExportFormat, PastAgent, PastMessage, PastSession, SessionMarks } from '@panoptes/schema'
import { messageCost } from '../index-message.ts'
import { readMessages } from '../search.ts'
import { type Reading, sessionAt } from '../transcript.ts'
import { wholeInput } from '../truncate.ts'
import { html } from './html.ts'
import { markdown } from './markdown.ts'
import { Nest } from './nest.ts'
import { Unread } from './read-errors.ts'
import type { Exported, Renderer } from './renderer.ts'

const FORMAT = 1

/**
 * Writes one document per line: the session, its agents, its messages in reading order, and what could not be
 * read.
 */
const jsonl: Renderer = {
  nested: false,
  head: ({ session, agents }) =>
    [{ type: 'session', format: FORMAT, ...session }, ...agents.map((agent) => ({ type: 'agent', ...agent }))]
      .map((line) => `${formatSafeJson(line)}\n`)
      .join(''),
  message: (message) => `${formatSafeJson({ type: 'message', ...message })}\n`,
  agentBegins: () => '',
  agentEnds: () => '',
  foot: ({ count, parts }) =>
    count === 0 ? '' : `${formatSafeJson({ type: 'unread', unread: count, unread_parts: parts })}\n`,
}

export interface ExportQuery {
  readonly source: string
  readonly id: string
  readonly format: ExportFormat
  /** The target file, which must not exist yet. */
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

/** Exports a whole session to a file, with one message in memory at a time and without secrets. */
export async function exportSession(reading: Reading, query: ExportQuery): Promise<ExportedFile> {
  const found = await sessionAt(reading, query)
  const agents = orThrow(await reading.index.agents(query.source, query.id)).map(redactedAgent)
  const of: Exported = { session: redactedSession({ ...found, ...query.marks }), agents }
  const renderer = RENDERERS[query.format]
  const target = await open(query.file, 'wx', 0o600)
  try {
    const unread = new Unread()
    const messages = messagesIn(reading, found, unread)
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
  reading: Reading,
  session: PastSession,
  unread: Unread,
): AsyncGenerator<PastMessage> {
  for await (const { n, message } of readMessages(reading, session, {
    skipped: (part) => unread.add(part),
  })) {
    const content = message.content.map((block) =>
      block.type === 'tool_call' ? { ...block, input: wholeInput(block.input) } : block,
    )
    yield { ...message, content, n, cost_micro_usd: messageCost(message, reading.prices), cut: false }
  }
}

/**
 * The target, the format and the session to write. Unreadable parts are only known after the last message.
 */
interface Piece {
  readonly target: FileHandle
  readonly renderer: Renderer
  readonly of: Exported
  readonly messages: AsyncIterable<PastMessage>
  readonly unread: Unread
}

async function writeInOrder({ target, renderer, of, messages, unread }: Piece): Promise<ExportedFile> {
  const out = createWriter(target)
  let count = 0
  await out(renderer.head(of))
  for await (const message of messages) {
    await out(renderer.message(message, 0, new Map()))
    count += 1
  }
  return { messages: count, bytes: await out(renderer.foot(unread)) }
}

/** Writes the pieces to a temporary file in reading order and assembles them when all are known. */
async function writeNested(
  { target, renderer, of, messages, unread }: Piece,
  partsFile: string,
): Promise<ExportedFile> {
  const parts = await open(partsFile, 'wx+', 0o600)
  try {
    const keep = createWriter(parts)
    const nest = new Nest(of.agents)
    const calls = new Map<string, Call>()
    let count = 0
    let at = 0
    for await (const message of messages) {
      noteCalls(calls, message)
      const end = await keep(
        renderer.message(timed(message, calls), nest.agentDepth(message.agent_id), calls),
      )
      nest.add(message, at, end)
      at = end
      count += 1
    }
    const out = createWriter(target)
    await out(renderer.head(of))
    for (const each of nest.inNestedOrder()) {
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

/** Creates a function that appends a text and returns the new length of the file. */
function createWriter(file: FileHandle): (text: string | Uint8Array) => Promise<number> {
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

/** Computes the duration of calls from the times of call and result when the source does not record it. */
const timed = (message: PastMessage, calls: ReadonlyMap<string, Call>): PastMessage => ({
  ...message,
  content: message.content.map((block) => {
    if (block.type !== 'tool_result' || block.duration_ms !== null) return block
    const began = calls.get(block.id)?.ts ?? null
    const took = began === null || message.ts === null ? null : message.ts - began
    return { ...block, duration_ms: took === null || took < 0 ? null : took }
  }),
})

const redactedSession = (session: PastSession): PastSession => ({
  ...session,
  title: session.title === null ? null : clean(session.title),
  note: session.note === null ? null : clean(session.note),
  tags: session.tags.map(clean),
})

const redactedAgent = (agent: PastAgent): PastAgent => ({
  ...agent,
  description: agent.description === null ? null : clean(agent.description),
})

const clean = (text: string): string => redactText(text).text
