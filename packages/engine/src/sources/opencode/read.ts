import type { ContentBlock, Message, SessionAgent } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { failure } from '@panoptes/schema/result'
import { toDatabaseFailure } from '../database/failures.ts'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import type { Listed, SessionRecord } from '../port.ts'
import { isCopied } from './forked-messages.ts'
import { fileBlocks, madeBy } from './parts.ts'
import { OWNER, placed } from './places.ts'
import { type Frame, type MessagesResult, toReplies } from './replies.ts'
import type { StoredMessage } from './rows.ts'
import { About, MAIN, type SessionRow as Session, type SessionRow } from './session-metadata.ts'
import type { Store } from './store.ts'

/** Calls that created a session, by the session's id. */
type Calls = Map<string, { readonly id: string; readonly prompt: string | null }>

interface Reading {
  readonly store: Store
  readonly listed: Listed
  readonly about: About
  readonly calls: Calls
  readonly signal: AbortSignal | undefined
}

/** Reads a session of a store and its children: its own messages first, then each agent's in turn. */
export async function* readSession(
  store: Store,
  listed: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  const { id } = placed(listed.place)
  try {
    const row = await store.session(id)
    if (row === undefined) {
      yield { kind: 'failed', failure: failure('not_found', `${listed.place} no longer exists.`) }
      return
    }
    const about = new About(row)
    const reading = { store, listed, about, calls: new Map(), signal }
    yield { kind: 'agent', agent: { ...NOBODY, id: MAIN } }
    yield* readOne(reading, { id, agent: MAIN, row })
    for await (const child of readChildren(store, id)) {
      if (signal?.aborted) return
      const agent = toAgent(child, id, reading.calls)
      yield { kind: 'agent', agent }
      yield* readOne(reading, { id: child.id, agent: child.id, row: child.row })
    }
    if (!signal?.aborted) yield { kind: 'session', session: about.session(listed) }
  } catch (error) {
    yield { kind: 'failed', failure: toDatabaseFailure(error, store.path, OWNER) }
  }
}

const NOBODY = { parent_id: null, subagent_type: null, description: null, tool_use_id: null }

interface Child {
  readonly id: string
  readonly row: SessionRow
}

/** Lists the children of a session, each followed by its own children. */
async function* readChildren(store: Store, root: string): AsyncGenerator<Child> {
  const seen = new Set([root])
  const open = [root]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id !== root) {
      const row = await store.session(id)
      if (row !== undefined) yield { id, row }
    }
    for (const child of [...(await store.children(id))].reverse()) {
      if (seen.has(child)) continue
      seen.add(child)
      open.push(child)
    }
  }
}

/** OpenCode appends the kind of agent to the title of its session. */
const KIND = / \(@([^()]+) subagent\)$/

function toAgent({ id, row }: Child, root: string, calls: Calls): SessionAgent {
  const call = calls.get(id)
  return {
    id,
    parent_id: row.parent === root ? MAIN : row.parent,
    subagent_type: row.agent ?? KIND.exec(row.title ?? '')?.[1] ?? null,
    description: call?.prompt ?? row.title?.replace(KIND, '') ?? null,
    tool_use_id: call?.id ?? null,
  }
}

async function* readOne(
  { store, listed, about, calls, signal }: Reading,
  { id, agent, row }: { readonly id: string; readonly agent: string; readonly row: SessionRow },
): AsyncGenerator<SessionRecord> {
  let copied = 0
  for await (const each of store.messages(id, signal)) {
    const { messages, problems, copy } = toMessages(each, { session: listed.id, agent, row })
    if (copy) copied += 1
    for (const part of each.parts) noteCall(calls, part)
    for (const message of messages) {
      about.addMessage(message)
      yield { kind: 'message', message }
    }
    for (const reason of problems) yield { kind: 'skipped', place: `${listed.place}:${each.id}`, reason }
  }
  if (copied > 0)
    yield {
      kind: 'skipped',
      place: listed.place,
      reason: `has ${plural(copied, 'message')} of the session it was forked from`,
    }
}

function noteCall(calls: Calls, part: Fields): void {
  const made = part.type === 'tool' ? madeBy(part) : null
  const call = toText(part.callID)
  if (made === null || call === null) return
  calls.set(made, { id: call, prompt: toText(toFields(toFields(part.state).input).description) })
}

interface Of {
  readonly session: string
  readonly agent: string
  readonly row: Session
}

/** Converts a stored message to a prompt, or to a reply with the results of its calls. */
function toMessages(
  stored: StoredMessage,
  { session, agent, row }: Of,
): MessagesResult & { readonly copy: boolean } {
  const { id, data, parts, problems } = stored
  if (data === undefined) return { messages: [], problems, copy: false }
  const ts = toTime(toFields(data.time).created) ?? stored.created
  if (isCopied(id, ts, row)) return { messages: [], problems: [], copy: true }
  const frame: Frame = { id, session_id: session, agent_id: agent, ts, state: messageState(stored, row) }
  const result = parseMessages(frame, data, parts)
  if (result === undefined)
    return { messages: [], problems: [...problems, 'has an unknown role'], copy: false }
  return { messages: result.messages, problems: [...problems, ...result.problems], copy: false }
}

function parseMessages(frame: Frame, data: Fields, parts: readonly Fields[]): MessagesResult | undefined {
  if (data.role === 'user') return toPrompts(frame, parts)
  return data.role === 'assistant' ? toReplies(frame, data, parts) : undefined
}

function messageState({ id, data }: StoredMessage, { revert }: Session): Message['state'] {
  if (revert !== null && (revert.whole ? id >= revert.message : id > revert.message)) return 'rewound'
  return data?.role === 'assistant' && data.summary === true ? 'summary' : 'active'
}

/** Separates the user's prompt from what OpenCode added, such as the text of an attached file. */
function toPrompts(frame: Frame, parts: readonly Fields[]): MessagesResult {
  const own: ContentBlock[] = []
  const added: ContentBlock[] = []
  const problems: string[] = []
  for (const part of parts) {
    const blocks = toBlocks(part)
    if (blocks === undefined) problems.push('has a part of an unknown type')
    else (part.synthetic === true ? added : own).push(...blocks)
  }
  const message = (id: string, content: ContentBlock[], hidden: boolean): Message => ({
    ...frame,
    id,
    role: 'user',
    model: null,
    content,
    usage: null,
    hidden,
  })
  const messages = [
    ...(own.length > 0 ? [message(frame.id, own, false)] : []),
    ...(added.length > 0 ? [message(own.length > 0 ? `${frame.id}:added` : frame.id, added, true)] : []),
  ]
  return { messages, problems }
}

/** Parts without visible content, such as the addressed agent or the request for a summary. */
const SILENT = ['agent', 'compaction', 'snapshot', 'patch', 'step-start', 'step-finish']

function toBlocks(part: Fields): readonly ContentBlock[] | undefined {
  if (part.type === 'text') return [{ type: 'text', text: String(part.text ?? '') }]
  if (part.type === 'file') return fileBlocks(part)
  if (part.type === 'subtask') {
    const text = toText(part.prompt) ?? toText(part.description)
    return text === null ? [] : [{ type: 'text', text }]
  }
  return SILENT.includes(String(part.type)) ? [] : undefined
}
