import type { ConversationHead, FileInput, RememberedFact, SessionRef } from '@panoptes/schema'
import { epochBefore, listReferencedMessages, mapEpochToFork } from '../../conversations/epochs.ts'
import {
  eventsIn,
  parseEpoch,
  parseHead,
  parseMessage,
  runIn,
  toConversation,
} from '../../conversations/row-parsing.ts'
import { changeHead, forkMessage, isSameOwner, NO_STATE } from '../../conversations/rules.ts'
import type { Conversations } from '../../conversations-port.ts'
import type { Ask } from '../auxiliary-tables.ts'
import type { Connection, Database } from '../database.ts'
import { forgetFact, setNextSummary, writeEpoch } from './epochs.ts'
import { findAbandonedRuns, type Presence, setHub } from './hubs.ts'
import { list } from './list.ts'
import { putRemoteCommand, takeRemoteCommands } from './remote-commands.ts'
import { insertHead, lockedRow, messageRow, readPlaces, writeHead } from './rows.ts'
import { begin, end, progress } from './runs.ts'
import { readMessages, readSentMessage, readWindow } from './window.ts'

export function createConversations(database: Database, ask: Ask, here: Presence): Conversations {
  const reading = <T>(read: (connection: Connection) => Promise<T>) => ask(() => database.snapshot(read))
  const writing = <T>(write: (connection: Connection) => Promise<T>) => ask(() => database.transaction(write))
  return {
    create: (head) =>
      ask(async () => {
        await insertHead(database, head)
        return null
      }),
    get: (id) =>
      reading(async ({ row, rows }) => {
        const found = await row('SELECT * FROM conversations WHERE id = $1', [id])
        if (found === undefined) return null
        const messages = 'SELECT doc FROM chat_messages WHERE conversation = $1 ORDER BY number'
        return toConversation(found, await rows(messages, [id]))
      }),
    head: (id) =>
      ask(async () => {
        const found = await database.row('SELECT doc FROM conversations WHERE id = $1', [id])
        return found === undefined ? null : parseHead(found)
      }),
    list: (query) => reading((connection) => list(connection, query)),
    change: (id, change) =>
      writing(async (connection) => {
        const head = changeHead(parseHead(await lockedRow(connection, id)), change)
        await writeHead(connection, head)
        return head
      }),
    fork: (id, message, head) => writing((connection) => fork(connection, id, message, head)),
    begin: async (run) => {
      await here.present()
      return writing(async (connection) => {
        const begun = await begin(connection, run)
        await setHub(connection, run.conversation, here.id)
        return begun
      })
    },
    progress: (run) => writing((connection) => progress(connection, run)),
    end: (run) => writing((connection) => end(connection, run)),
    events: (run) =>
      ask(async () =>
        eventsIn(
          await database.rows('SELECT conversation, events FROM chat_runs WHERE id = $1 ORDER BY number', [
            run,
          ]),
        ),
      ),
    unended: ({ others = false } = {}) =>
      ask(async () => (await findAbandonedRuns(database, here.id, others)).map(runIn)),
    sendRemoteCommand: (id, run, command) =>
      writing((connection) => putRemoteCommand(connection, here.id, { id, run, command })),
    takeRemoteCommands: (run) => ask(() => takeRemoteCommands(database, run)),
    window: (id, query) => reading((connection) => readWindow(connection, id, query)),
    said: (id, query) => reading((connection) => readMessages(connection, id, query)),
    setEpoch: (id, epoch) => ask(() => writeEpoch(database, id, epoch)),
    setNextSummary: (id, next) => writing((connection) => setNextSummary(connection, id, next)),
    setSent: (message, { context, text }) =>
      ask(async () => {
        await database.run('UPDATE chat_messages SET sent = $2, preamble = $3 WHERE id = $1', [
          message,
          JSON.stringify(context),
          JSON.stringify(text),
        ])
        return null
      }),
    sent: (conversation, message) => ask(() => readSentMessage(database, conversation, message)),
    files: (message) =>
      ask(async () => {
        const row = await database.row('SELECT files FROM chat_messages WHERE id = $1', [message])
        return row?.files == null ? [] : (JSON.parse(String(row.files)) as FileInput[])
      }),
    facts: (owner = null) =>
      ask(async () => {
        const rows = await database.rows(
          'SELECT doc FROM facts WHERE owner IS NOT DISTINCT FROM $1 ORDER BY number',
          [owner],
        )
        return rows.map(({ doc }) => JSON.parse(String(doc)) as RememberedFact)
      }),
    remember: ({ id, ts, text }, owner = null) =>
      ask(async () => {
        await database.run('INSERT INTO facts (id, doc, owner) VALUES ($1, $2, $3)', [
          id,
          JSON.stringify({ id, ts, text }),
          owner,
        ])
        return null
      }),
    forgetFact: (id, text) => writing((connection) => forgetFact(connection, id, text)),
  }
}

/**
 * A conversation is a session of Panoptes itself. Its row is deleted first: a process that was writing into
 * it has finished by then.
 */
export async function forgetConversation(
  { run }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly conversations: number }> {
  if (source !== 'panoptes') return { conversations: 0 }
  const conversations = await run('DELETE FROM conversations WHERE id = $1', [id])
  for (const table of ['chat_messages', 'chat_replaced', 'chat_runs', 'chat_wishes'])
    await run(`DELETE FROM ${table} WHERE conversation = $1`, [id])
  return { conversations }
}

async function fork(
  connection: Connection,
  id: string,
  message: string,
  head: ConversationHead,
): Promise<null> {
  const row = await lockedRow(connection, id)
  const isOwn = isSameOwner(parseHead(row), head)
  const at = Number((await messageRow(connection, id, message)).number)
  await insertHead(connection, head)
  const named = await copyMessages(connection, { id, at, isOwn }, head.id)
  if (!isOwn) return null
  const stored = parseEpoch(row)
  const place = await readPlaces(connection, id, listReferencedMessages(stored, NO_STATE))
  const epoch = epochBefore(stored, place, at + 1)
  return epoch === null ? null : writeEpoch(connection, head.id, mapEpochToFork(epoch, named))
}

/** Returns the id that each message gets in the fork. */
async function copyMessages(
  { rows, run }: Connection,
  { id, at, isOwn }: { readonly id: string; readonly at: number; readonly isOwn: boolean },
  fork: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await rows(
    'SELECT number, doc FROM chat_messages WHERE conversation = $1 AND number <= $2 ORDER BY number',
    [id, at],
  )
  const copies = found.map((row) => {
    const message = parseMessage(row)
    return { number: Number(row.number), was: message.id, is: forkMessage(message, fork, Number(row.number)) }
  })
  await run(
    `INSERT INTO chat_messages (id, conversation, doc, sent, preamble, files)
     SELECT f.id, $1, f.doc, CASE WHEN $5 THEN m.sent END, CASE WHEN $5 THEN m.preamble END, m.files
     FROM unnest($2::bigint[], $3::text[], $4::text[]) AS f (number, id, doc) JOIN chat_messages AS m USING (number)
     ORDER BY number`,
    [
      fork,
      copies.map(({ number }) => number),
      copies.map(({ is }) => is.id),
      copies.map(({ is }) => JSON.stringify(is)),
      isOwn,
    ],
  )
  return new Map(copies.map(({ was, is }) => [was, is.id]))
}
