import { epochBefore, listReferencedMessages, statesBefore } from '../../conversations/epochs.ts'
import { parseEpoch, parseMessage, parseStates } from '../../conversations/row-parsing.ts'
import {
  beginHead,
  endConversationRun,
  MOST_PARTS,
  requireCurrentRun,
  requireOwnMessage,
} from '../../conversations/rules.ts'
import type { RunBeginning, RunEnding, RunProgress } from '../../conversations-port.ts'
import type { Connection, Row } from '../database.ts'
import { writeEpoch } from './epochs.ts'
import { dropRemoteCommands } from './remote-commands.ts'
import { lockedRow, messageRow, readPlaces, writeHead } from './rows.ts'

export async function begin(
  connection: Connection,
  run: RunBeginning,
): Promise<{ readonly state_revision: number }> {
  const row = await lockedRow(connection, run.conversation)
  const head = beginHead(row, run)
  if (run.replaces !== undefined) await replace(connection, row, run.replaces)
  const put = 'INSERT INTO chat_messages (id, conversation, doc, files) VALUES ($1, $2, $3, $4)'
  const files = run.files.length === 0 ? null : JSON.stringify(run.files)
  await connection.run(put, [run.user.id, run.conversation, JSON.stringify(run.user), files])
  await connection.run(put, [run.answer.id, run.conversation, JSON.stringify(run.answer), null])
  await writeHead(connection, head)
  await prune(connection)
  return { state_revision: Number(row.state_revision) }
}

/** Skips rows that another process is about to delete, so that nobody waits. */
const prune = ({ run }: Connection): Promise<number> =>
  run(
    `DELETE FROM chat_runs WHERE number IN (
       SELECT number FROM chat_runs WHERE number <= (SELECT max(number) FROM chat_runs) - $1
         AND id NOT IN (SELECT run_id FROM conversations WHERE run_id IS NOT NULL)
       FOR UPDATE SKIP LOCKED)`,
    [MOST_PARTS],
  )

/** Keeps paid answers on record: replaced messages move to a table of their own with their position. */
async function replace(connection: Connection, row: Row, message: string): Promise<void> {
  const { run } = connection
  const conversation = String(row.id)
  const replaced = await messageRow(connection, conversation, message)
  requireOwnMessage(parseMessage(replaced))
  const at = Number(replaced.number)
  await cutBefore(connection, row, at)
  await run('UPDATE chat_replaced SET at = $2 WHERE conversation = $1 AND at > $2', [conversation, at])
  await run(
    `INSERT INTO chat_replaced (id, conversation, at, doc)
     SELECT id, conversation, $2, doc FROM chat_messages WHERE conversation = $1 AND number >= $2 ORDER BY number`,
    [conversation, at],
  )
  await run('DELETE FROM chat_messages WHERE conversation = $1 AND number >= $2', [conversation, at])
}

/** Stores the state of a conversation without the messages from a number on. */
async function cutBefore(connection: Connection, row: Row, end: number): Promise<void> {
  const id = String(row.id)
  const [epoch, states] = [parseEpoch(row), parseStates(row)]
  const place = await readPlaces(connection, id, listReferencedMessages(epoch, states))
  await writeEpoch(connection, id, epochBefore(epoch, place, end))
  await connection.run('UPDATE conversations SET state = $2 WHERE id = $1', [
    id,
    JSON.stringify(statesBefore(states, place, end)),
  ])
}

export async function progress(connection: Connection, run: RunProgress): Promise<null> {
  requireCurrentRun(await lockedRow(connection, run.conversation), run)
  return writeRun(connection, run)
}

export async function end(
  connection: Connection,
  run: RunEnding,
): Promise<{ readonly state_revision: number }> {
  const { head, states, revision } = endConversationRun(await lockedRow(connection, run.conversation), run)
  await writeRun(connection, run)
  await connection.run('UPDATE conversations SET state = $2, state_revision = $3 WHERE id = $1', [
    run.conversation,
    JSON.stringify(states),
    revision,
  ])
  await writeHead(connection, head)
  await dropRemoteCommands(connection, run.run_id)
  return { state_revision: revision }
}

async function writeRun({ run }: Connection, part: RunProgress): Promise<null> {
  const { conversation, answer, run_id, events } = part
  await run('UPDATE chat_messages SET doc = $2 WHERE id = $1', [answer.id, JSON.stringify(answer)])
  if (events !== '')
    await run('INSERT INTO chat_runs (id, conversation, events) VALUES ($1, $2, $3)', [
      run_id,
      conversation,
      events,
    ])
  return null
}
