import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/threads'
import type { AgentStates, Compartment, ConversationHead, StoredChatMessage } from '@panoptes/schema'
import type {
  ChatEpoch,
  Conversations,
  ConversationWindow,
  SaidMessage,
  SentMessage,
} from '../conversations-port.ts'

type Asked<M extends keyof Conversations> = Parameters<Conversations[M]>
type Row = Readonly<Record<string, SQLInputValue>>

export interface WindowReads {
  chatWindow(...asked: Asked<'window'>): ConversationWindow | null
  saidMessages(...asked: Asked<'said'>): readonly SaidMessage[]
  sentMessage(...asked: Asked<'sent'>): SentMessage | null
}

/** As much of a conversation as somebody goes on with: however long it is, that costs the same. */
export const windowReads = (db: () => DatabaseSync): Handlers<WindowReads> => ({
  chatWindow: (_job, id, { chars, before }) => {
    db().exec('BEGIN')
    try {
      const row = db().prepare('SELECT * FROM conversations WHERE id = ?').get(id) as Row | undefined
      if (row === undefined) return null
      const end = (before === undefined ? null : placeOf(db(), id, before)) ?? Number.MAX_SAFE_INTEGER
      const epoch = epochBefore(db(), id, row.epoch, end)
      const from = epoch?.summarised_to == null ? 0 : (placeOf(db(), id, epoch.summarised_to) ?? 0)
      const { first, messages, preambles } = newest(db(), id, { from, end, chars })
      const earlier = countBefore(db(), id, first)
      const head = JSON.parse(String(row.doc)) as ConversationHead
      return {
        ...head,
        messages_count: countBefore(db(), id, end),
        agent_state: statesBefore(db(), id, JSON.parse(String(row.state)) as AgentStates, end),
        state_revision: Number(row.state_revision),
        epoch,
        messages,
        preambles,
        earlier,
        preceding: lastBefore(db(), id, first),
        skipped: earlier - countBefore(db(), id, from + 1),
      }
    } finally {
      db().exec('COMMIT')
    }
  },
  saidMessages: (_job, id, { after, to, chars }) => {
    const from = after === null ? 0 : placeOf(db(), id, after)
    const end = placeOf(db(), id, to)
    if (from === null || end === null) return []
    const rows = db()
      .prepare(
        'SELECT doc FROM chat_messages WHERE conversation = ? AND number > ? AND number <= ? ORDER BY number',
      )
      .iterate(id, from, end) as Iterable<Row>
    const said: SaidMessage[] = []
    let room = chars
    for (const row of rows) {
      const { id: message, role, content, ts } = JSON.parse(String(row.doc)) as StoredChatMessage
      room -= content.length
      if (room < 0 && said.length > 0) break
      said.push({ id: message, role, content, ts })
    }
    return said
  },
  sentMessage: (_job, conversation, message) => {
    const row = db()
      .prepare('SELECT sent, preamble FROM chat_messages WHERE id = ? AND conversation = ?')
      .get(message, conversation)
    if (row?.sent == null) return null
    return {
      context: JSON.parse(String(row.sent)) as SentMessage['context'],
      text: String(row.preamble ?? ''),
    }
  },
})

/** The number of a message; null where it is gone. */
export function placeOf(db: DatabaseSync, conversation: string, message: string): number | null {
  const row = db
    .prepare('SELECT number FROM chat_messages WHERE id = ? AND conversation = ?')
    .get(message, conversation)
  return row === undefined ? null : Number(row.number)
}

/** What remains of an epoch when the messages from a number on are gone: none where its summary tells of one of them. */
export function epochBefore(
  db: DatabaseSync,
  conversation: string,
  stored: SQLInputValue | undefined,
  end: number,
): ChatEpoch | null {
  if (stored == null) return null
  const { next, ...epoch } = JSON.parse(String(stored)) as ChatEpoch
  const isThere = (message: string) => (placeOf(db, conversation, message) ?? end) < end
  if (epoch.summarised_to !== null && !isThere(epoch.summarised_to)) return null
  return next && isThere(next.to) ? { ...epoch, next } : epoch
}

/** A runtime that has seen what is gone from a number on cannot go on from there: it begins anew. */
export function statesBefore(
  db: DatabaseSync,
  conversation: string,
  states: AgentStates,
  end: number,
): AgentStates {
  const isThere = ({ synced_message_id: seen }: Compartment) =>
    seen === undefined || (placeOf(db, conversation, seen) ?? end) < end
  const runtimes = Object.entries(states.runtimes).filter(([, compartment]) => isThere(compartment))
  return { ...states, runtimes: Object.fromEntries(runtimes) }
}

interface Span {
  readonly from: number
  readonly end: number
  readonly chars: number
}

function newest(db: DatabaseSync, id: string, { from, end, chars }: Span) {
  const rows = db
    .prepare(
      'SELECT number, doc, preamble FROM chat_messages WHERE conversation = ? AND number > ? AND number < ? ORDER BY number DESC',
    )
    .iterate(id, from, end) as Iterable<Row>
  const messages: StoredChatMessage[] = []
  const preambles = new Map<string, string>()
  let room = chars
  let first = end
  for (const row of rows) {
    const message = JSON.parse(String(row.doc)) as StoredChatMessage
    const preamble = row.preamble === null ? '' : String(row.preamble)
    room -= message.content.length + preamble.length
    if (room < 0 && messages.length > 0) break
    first = Number(row.number)
    messages.push({ ...message, attachments: [] })
    if (preamble !== '') preambles.set(message.id, preamble)
  }
  return { messages: messages.reverse(), preambles, first: messages.length === 0 ? from + 1 : first }
}

const lastBefore = (db: DatabaseSync, conversation: string, end: number): string | null => {
  const row = db
    .prepare(
      'SELECT id FROM chat_messages WHERE conversation = ? AND number < ? ORDER BY number DESC LIMIT 1',
    )
    .get(conversation, end)
  return row === undefined ? null : String(row.id)
}

const countBefore = (db: DatabaseSync, conversation: string, end: number): number =>
  Number(
    db
      .prepare('SELECT count(*) AS count FROM chat_messages WHERE conversation = ? AND number < ?')
      .get(conversation, end)?.count,
  )
