import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { ConversationHead, SessionRef } from '@panoptes/schema'
import {
  addNextSummary,
  createFactReplacement,
  epochBefore,
  mapEpochToFork,
  statesBefore,
} from '../conversations/epochs.ts'
import { parseEpoch, parseHead, parseMessage, parseStates } from '../conversations/row-parsing.ts'
import {
  beginHead,
  changeHead,
  endConversationRun,
  forkMessage,
  isSameOwner,
  MOST_PARTS,
  NO_STATE,
  noConversation,
  noMessage,
  requireCurrentRun,
  requireOwnMessage,
} from '../conversations/rules.ts'
import type {
  ChatEpoch,
  Conversations,
  NextSummary,
  RunBeginning,
  RunEnding,
  RunProgress,
  SentMessage,
} from '../conversations-port.ts'
import { placeFinder } from './conversation-window.ts'
import { inTransaction } from './statements.ts'

export type Args<M extends keyof Conversations> = Parameters<Conversations[M]>

export interface ConversationWrites {
  createConversation(head: ConversationHead): null
  changeConversation(...args: Args<'change'>): ConversationHead
  forkConversation(...args: Args<'fork'>): null
  beginRun(run: RunBeginning): { readonly state_revision: number }
  progressRun(run: RunProgress): null
  endRun(run: RunEnding): { readonly state_revision: number }
  remember(...args: Args<'remember'>): null
}

export type Row = Readonly<Record<string, SQLInputValue>>

export interface EpochWrites {
  setEpoch(id: string, epoch: ChatEpoch | null): null
  setNextSummary(id: string, next: NextSummary): null
  setSent(message: string, sent: SentMessage): null
  forgetFact(id: string, text: string): boolean
}

export const conversationWrites = (db: () => DatabaseSync): Handlers<ConversationWrites> => ({
  createConversation: (_job, head) => {
    insertConversation(db(), head)
    return null
  },
  changeConversation: (_job, id, change) =>
    inTransaction(db(), () => {
      const head = changeHead(parseHead(readRow(db(), id)), change)
      writeHead(db(), head)
      return head
    }),
  forkConversation: (_job, id, message, head) =>
    inTransaction(db(), () => {
      const isOwn = isSameOwner(parseHead(readRow(db(), id)), head)
      const at = messageNumber(db(), id, message)
      insertConversation(db(), head)
      const copy = db().prepare(
        `INSERT INTO chat_messages (id, conversation, ts, doc, sent, preamble, files) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      const rows = db()
        .prepare('SELECT * FROM chat_messages WHERE conversation = ? AND number <= ? ORDER BY number')
        .all(id, at) as Row[]
      const named = new Map<string, string>()
      for (const row of rows) {
        const doc = forkMessage(parseMessage(row), head.id, Number(row.number))
        named.set(String(row.id), doc.id)
        const { ts = 0, sent = null, preamble = null, files = null } = row
        copy.run(
          doc.id,
          head.id,
          ts,
          JSON.stringify(doc),
          isOwn ? sent : null,
          isOwn ? preamble : null,
          files,
        )
      }
      if (isOwn) forkEpoch(db(), { id, end: at + 1 }, { id: head.id, named })
      return null
    }),
  beginRun: (_job, run) => inTransaction(db(), () => begin(db(), run)),
  progressRun: (_job, run) =>
    inTransaction(db(), () => {
      requireCurrentRun(readRow(db(), run.conversation), run)
      return writeRun(db(), run)
    }),
  endRun: (_job, run) => inTransaction(db(), () => end(db(), run)),
  remember: (_job, { id, ts, text }, owner = null) => {
    db().prepare('INSERT INTO facts (id, ts, text, owner) VALUES (?, ?, ?, ?)').run(id, ts, text, owner)
    return null
  },
})

function begin(db: DatabaseSync, run: RunBeginning): { readonly state_revision: number } {
  const row = readRow(db, run.conversation)
  const head = beginHead(row, run)
  if (run.replaces !== undefined) replace(db, row, run.replaces)
  const put = db.prepare(
    'INSERT INTO chat_messages (id, conversation, ts, doc, files) VALUES (?, ?, ?, ?, ?)',
  )
  const files = run.files.length === 0 ? null : JSON.stringify(run.files)
  put.run(run.user.id, run.conversation, run.user.ts, JSON.stringify(run.user), files)
  put.run(run.answer.id, run.conversation, run.answer.ts, JSON.stringify(run.answer), null)
  writeHead(db, head)
  db.prepare(
    `DELETE FROM chat_runs WHERE number <= (SELECT max(number) FROM chat_runs) - ?
     AND id NOT IN (SELECT run_id FROM conversations WHERE run_id IS NOT NULL)`,
  ).run(MOST_PARTS)
  return { state_revision: Number(row.state_revision) }
}

/** Keeps paid answers on record: replaced messages move to a table of their own with their position. */
function replace(db: DatabaseSync, row: Row, message: string): void {
  const conversation = String(row.id)
  const at = messageNumber(db, conversation, message)
  requireOwnMessage(parseMessage(db.prepare('SELECT doc FROM chat_messages WHERE number = ?').get(at) as Row))
  cutBefore(db, row, at)
  db.prepare('UPDATE chat_replaced SET at = ?1 WHERE conversation = ?2 AND at > ?1').run(at, conversation)
  db.prepare(
    `INSERT INTO chat_replaced (id, conversation, at, doc)
     SELECT id, conversation, ?1, doc FROM chat_messages WHERE conversation = ?2 AND number >= ?1 ORDER BY number`,
  ).run(at, conversation)
  db.prepare('DELETE FROM chat_messages WHERE conversation = ? AND number >= ?').run(conversation, at)
}

function writeRun(db: DatabaseSync, { conversation, answer, run_id, events }: RunProgress): null {
  db.prepare('UPDATE chat_messages SET doc = ? WHERE id = ?').run(JSON.stringify(answer), answer.id)
  const add = db.prepare('INSERT INTO chat_runs (id, conversation, events) VALUES (?, ?, ?)')
  if (events !== '') add.run(run_id, conversation, events)
  return null
}

function end(db: DatabaseSync, run: RunEnding): { readonly state_revision: number } {
  const { head, states, revision } = endConversationRun(readRow(db, run.conversation), run)
  writeRun(db, run)
  db.prepare('UPDATE conversations SET state = ?, state_revision = ? WHERE id = ?').run(
    JSON.stringify(states),
    revision,
    run.conversation,
  )
  writeHead(db, head)
  return { state_revision: revision }
}

function insertConversation(db: DatabaseSync, head: ConversationHead): void {
  db.prepare(
    'INSERT INTO conversations (id, updated_at, run_id, state_revision, doc, state) VALUES (?, ?, NULL, 0, ?, ?)',
  ).run(head.id, head.updated_at, JSON.stringify(head), JSON.stringify(NO_STATE))
}

function writeHead(db: DatabaseSync, head: ConversationHead): void {
  db.prepare('UPDATE conversations SET doc = ?, run_id = ?, updated_at = ? WHERE id = ?').run(
    JSON.stringify(head),
    head.run_id,
    head.updated_at,
    head.id,
  )
}

function readRow(db: DatabaseSync, id: string): Row {
  const row = db.prepare('SELECT * FROM conversations WHERE id = ?').get(id) as Row | undefined
  if (row === undefined) throw noConversation(id)
  return row
}

function messageNumber(db: DatabaseSync, conversation: string, message: string): number {
  const number = placeFinder(db, conversation)(message)
  if (number === null) throw noMessage(message)
  return number
}

/** A conversation is a session of Panoptes itself. */
export function forgetConversation(db: DatabaseSync, { source, id }: SessionRef): number {
  if (source !== 'panoptes') return 0
  db.prepare('DELETE FROM chat_messages WHERE conversation = ?').run(id)
  db.prepare('DELETE FROM chat_replaced WHERE conversation = ?').run(id)
  db.prepare('DELETE FROM chat_runs WHERE conversation = ?').run(id)
  return Number(db.prepare('DELETE FROM conversations WHERE id = ?').run(id).changes)
}

export const epochWrites = (db: () => DatabaseSync): Handlers<EpochWrites> => ({
  setEpoch: (_job, id, epoch) => {
    writeEpoch(db(), id, epoch)
    return null
  },
  setNextSummary: (_job, id, next) =>
    inTransaction(db(), () => {
      const epoch = addNextSummary(readEpoch(db(), id), next, placeFinder(db(), id))
      if (epoch !== null) writeEpoch(db(), id, epoch)
      return null
    }),
  setSent: (_job, message, { context, text }) => {
    db()
      .prepare('UPDATE chat_messages SET sent = ?, preamble = ? WHERE id = ?')
      .run(JSON.stringify(context), text, message)
    return null
  },
  forgetFact: (_job, id, text) =>
    inTransaction(db(), () => {
      const isGone = db().prepare('DELETE FROM facts WHERE id = ?').run(id).changes > 0
      if (isGone && text !== '') unsay(db(), text)
      return isGone
    }),
})

/** Removes a fact from the context that conversations send again. */
function unsay(db: DatabaseSync, text: string): void {
  const { line, instead, lineInJson, insteadInJson } = createFactReplacement(text)
  const swap = (table: string, column: string, was: string, is: string) =>
    db
      .prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?) > 0`)
      .run(was, is, was)
  swap('chat_messages', 'preamble', line, instead)
  swap('chat_messages', 'sent', lineInJson, insteadInJson)
  swap('conversations', 'epoch', lineInJson, insteadInJson)
}

function writeEpoch(db: DatabaseSync, id: string, epoch: ChatEpoch | null): void {
  db.prepare('UPDATE conversations SET epoch = ? WHERE id = ?').run(
    epoch === null ? null : JSON.stringify(epoch),
    id,
  )
}

/** Stores the state of a conversation without the messages from a number on. */
function cutBefore(db: DatabaseSync, row: Row, end: number): void {
  const id = String(row.id)
  const place = placeFinder(db, id)
  writeEpoch(db, id, epochBefore(parseEpoch(row), place, end))
  const states = statesBefore(parseStates(row), place, end)
  db.prepare('UPDATE conversations SET state = ? WHERE id = ?').run(JSON.stringify(states), id)
}

/** Copies the context of the conversation's beginning to a fork, as far as it covers messages of the fork. */
function forkEpoch(
  db: DatabaseSync,
  from: { readonly id: string; readonly end: number },
  to: { readonly id: string; readonly named: ReadonlyMap<string, string> },
): void {
  const epoch = epochBefore(readEpoch(db, from.id), placeFinder(db, from.id), from.end)
  if (epoch !== null) writeEpoch(db, to.id, mapEpochToFork(epoch, to.named))
}

const readEpoch = (db: DatabaseSync, id: string): ChatEpoch | null =>
  parseEpoch(db.prepare('SELECT epoch FROM conversations WHERE id = ?').get(id))
