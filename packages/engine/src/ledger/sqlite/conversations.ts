import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Handlers, Refused } from '@panoptes/engine/threads'
import type {
  AgentStates,
  ConversationHead,
  RememberedFact,
  SessionRef,
  StoredChatMessage,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Conversations, RunBeginning, RunEnding, RunProgress } from '../conversations-port.ts'
import { cutEpoch, forkEpoch } from './chat-epochs.ts'
import { statesBefore } from './conversation-window.ts'
import { inTransaction } from './in-transaction.ts'

export type Asked<M extends keyof Conversations> = Parameters<Conversations[M]>

export interface ConversationWrites {
  createConversation(head: ConversationHead): null
  changeConversation(...asked: Asked<'change'>): ConversationHead
  forkConversation(...asked: Asked<'fork'>): null
  beginRun(run: RunBeginning): { readonly state_revision: number }
  progressRun(run: RunProgress): null
  endRun(run: RunEnding): { readonly state_revision: number }
  remember(fact: RememberedFact): null
}

/** Parts of runs whose events are kept, so that a page that comes back misses nothing. */
const MOST_PARTS = 20_000

const NO_STATE: AgentStates = { v: 1, active: null, runtimes: {} }

export type Row = Readonly<Record<string, SQLInputValue>>

const missing = (id: string) => new Refused(failure('not_found', `There is no conversation ${id}.`))

export const conversationWrites = (db: () => DatabaseSync): Handlers<ConversationWrites> => ({
  createConversation: (_job, head) => {
    insertConversation(db(), head)
    return null
  },
  changeConversation: (_job, id, change) =>
    inTransaction(db(), () => {
      const was = headIn(rowOf(db(), id))
      const { title = was.title, runtime = was.runtime } = change
      const { model = runtime === was.runtime ? was.model : null } = change
      const head = { ...was, title, runtime, model }
      writeHead(db(), head)
      return head
    }),
  forkConversation: (_job, id, message, head) =>
    inTransaction(db(), () => {
      rowOf(db(), id)
      const at = numberOf(db(), id, message)
      insertConversation(db(), head)
      const copy = db().prepare(
        `INSERT INTO chat_messages (id, conversation, ts, doc, sent, preamble, files) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      const rows = db()
        .prepare('SELECT * FROM chat_messages WHERE conversation = ? AND number <= ? ORDER BY number')
        .all(id, at) as Row[]
      const named = new Map<string, string>()
      for (const row of rows) {
        const doc = { ...messageIn(row), id: `${head.id}-${row.number}`, run_id: null }
        named.set(String(row.id), doc.id)
        const { ts = 0, sent = null, preamble = null, files = null } = row
        copy.run(doc.id, head.id, ts, JSON.stringify(doc), sent, preamble, files)
      }
      forkEpoch(db(), { id, end: at + 1 }, { id: head.id, named })
      return null
    }),
  beginRun: (_job, run) => inTransaction(db(), () => begin(db(), run)),
  progressRun: (_job, run) =>
    inTransaction(db(), () => {
      ownRow(db(), run)
      return writeRun(db(), run)
    }),
  endRun: (_job, run) => inTransaction(db(), () => end(db(), run)),
  remember: (_job, { id, ts, text }) => {
    db().prepare('INSERT INTO facts (id, ts, text) VALUES (?, ?, ?)').run(id, ts, text)
    return null
  },
})

function begin(db: DatabaseSync, run: RunBeginning): { readonly state_revision: number } {
  const row = rowOf(db, run.conversation)
  if (row.run_id !== null)
    throw new Refused(failure('busy', 'Another message of this conversation is being answered.'))
  if (run.replaces !== undefined) replace(db, run.conversation, run.replaces)
  const put = db.prepare(
    'INSERT INTO chat_messages (id, conversation, ts, doc, files) VALUES (?, ?, ?, ?, ?)',
  )
  const files = run.files.length === 0 ? null : JSON.stringify(run.files)
  put.run(run.user.id, run.conversation, run.user.ts, JSON.stringify(run.user), files)
  put.run(run.answer.id, run.conversation, run.answer.ts, JSON.stringify(run.answer), null)
  const head = headIn(row)
  writeHead(db, {
    ...head,
    title: head.title === '' ? (run.title ?? '') : head.title,
    runtime: run.runtime,
    first_runtime: head.first_runtime ?? run.runtime,
    model: run.model ?? null,
    run_id: run.run_id,
    updated_at: run.user.ts,
  })
  db.prepare(
    `DELETE FROM chat_runs WHERE number <= (SELECT max(number) FROM chat_runs) - ?
     AND id NOT IN (SELECT run_id FROM conversations WHERE run_id IS NOT NULL)`,
  ).run(MOST_PARTS)
  return { state_revision: Number(row.state_revision) }
}

/** What was paid for stays told: messages that others take the place of are kept apart, where they stood. */
function replace(db: DatabaseSync, conversation: string, message: string): void {
  const at = numberOf(db, conversation, message)
  const { role } = messageIn(db.prepare('SELECT doc FROM chat_messages WHERE number = ?').get(at) as Row)
  if (role !== 'user')
    throw new Refused(
      failure('invalid', 'Only a message of the person can be replaced; an answer follows from it.'),
    )
  db.prepare('UPDATE chat_replaced SET at = ?1 WHERE conversation = ?2 AND at > ?1').run(at, conversation)
  db.prepare(
    `INSERT INTO chat_replaced (id, conversation, at, doc)
     SELECT id, conversation, ?1, doc FROM chat_messages WHERE conversation = ?2 AND number >= ?1 ORDER BY number`,
  ).run(at, conversation)
  db.prepare('DELETE FROM chat_messages WHERE conversation = ? AND number >= ?').run(conversation, at)
  cutEpoch(db, conversation)
  const row = rowOf(db, conversation)
  const states = statesBefore(db, conversation, statesIn(row), Number.MAX_SAFE_INTEGER)
  db.prepare('UPDATE conversations SET state = ? WHERE id = ?').run(JSON.stringify(states), conversation)
}

/** Whoever tells of a run that is not the present one is late: it was ended by somebody else. */
function ownRow(db: DatabaseSync, { conversation, run_id }: RunProgress): Row {
  const row = rowOf(db, conversation)
  if (row.run_id !== run_id) throw new Refused(failure('invalid', 'This run has ended already.'))
  return row
}

function writeRun(db: DatabaseSync, { conversation, answer, run_id, events }: RunProgress): null {
  db.prepare('UPDATE chat_messages SET doc = ? WHERE id = ?').run(JSON.stringify(answer), answer.id)
  const add = db.prepare('INSERT INTO chat_runs (id, conversation, events) VALUES (?, ?, ?)')
  if (events !== '') add.run(run_id, conversation, events)
  return null
}

function end(db: DatabaseSync, run: RunEnding): { readonly state_revision: number } {
  const row = ownRow(db, run)
  const state = statesIn(row)
  const { compartment } = run
  if (compartment !== undefined && compartment.runtime !== run.answer.runtime)
    throw new Refused(failure('invalid', `The state of ${compartment.runtime} is not for others to write.`))
  const was = compartment === undefined ? 0 : (state.runtimes[compartment.runtime]?.rev ?? 0)
  if (compartment !== undefined && was !== compartment.was)
    throw new Refused(failure('invalid', `The state of ${compartment.runtime} was changed by somebody else.`))
  writeRun(db, run)
  const revision = Number(row.state_revision) + (compartment === undefined ? 0 : 1)
  const active = run.answer.runtime ?? state.active
  const runtimes =
    compartment === undefined
      ? state.runtimes
      : { ...state.runtimes, [compartment.runtime]: { ...compartment.value, rev: was + 1 } }
  db.prepare('UPDATE conversations SET state = ?, state_revision = ? WHERE id = ?').run(
    JSON.stringify({ v: 1, active, runtimes }),
    revision,
    run.conversation,
  )
  const head = headIn(row)
  writeHead(db, {
    ...head,
    run_id: null,
    last_status: run.answer.status,
    updated_at: run.answer.ended_at ?? head.updated_at,
  })
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

function rowOf(db: DatabaseSync, id: string): Row {
  const row = db.prepare('SELECT * FROM conversations WHERE id = ?').get(id) as Row | undefined
  if (row === undefined) throw missing(id)
  return row
}

function numberOf(db: DatabaseSync, conversation: string, message: string): number {
  const row = db
    .prepare('SELECT number FROM chat_messages WHERE id = ? AND conversation = ?')
    .get(message, conversation)
  if (row === undefined)
    throw new Refused(failure('not_found', `There is no message ${message} in this conversation.`))
  return Number(row.number)
}

export const headIn = (row: Row): ConversationHead => JSON.parse(String(row.doc)) as ConversationHead
export const statesIn = (row: Row): AgentStates => JSON.parse(String(row.state)) as AgentStates
export const messageIn = (row: Row): StoredChatMessage => JSON.parse(String(row.doc)) as StoredChatMessage

/** A conversation is a session of ours. */
export function forgetConversation(db: DatabaseSync, { source, id }: SessionRef): number {
  if (source !== 'panoptes') return 0
  db.prepare('DELETE FROM chat_messages WHERE conversation = ?').run(id)
  db.prepare('DELETE FROM chat_replaced WHERE conversation = ?').run(id)
  db.prepare('DELETE FROM chat_runs WHERE conversation = ?').run(id)
  return Number(db.prepare('DELETE FROM conversations WHERE id = ?').run(id).changes)
}
