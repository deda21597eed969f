import type { ConversationHead } from '@panoptes/schema'
import type { PlaceOf } from '../../conversations/epochs.ts'
import { NO_STATE, noConversation, noMessage } from '../../conversations/rules.ts'
import type { Connection, Row } from '../database.ts'

/** Locks the conversation until the transaction ends, so that no other process changes it. */
export async function lockedRow({ row }: Connection, id: string): Promise<Row> {
  const found = await row('SELECT * FROM conversations WHERE id = $1 FOR UPDATE', [id])
  if (found === undefined) throw noConversation(id)
  return found
}

/** Returns the numbers of several messages of a conversation with one query. */
export async function readPlaces(
  { rows }: Connection,
  conversation: string,
  messages: readonly string[],
): Promise<PlaceOf> {
  if (messages.length === 0) return () => null
  const found = await rows(
    'SELECT id, number FROM chat_messages WHERE conversation = $1 AND id = ANY($2::text[])',
    [conversation, messages],
  )
  const places = new Map(found.map(({ id, number }) => [String(id), Number(number)]))
  return (message) => places.get(message) ?? null
}

export async function messageRow({ row }: Connection, conversation: string, message: string): Promise<Row> {
  const found = await row('SELECT number, doc FROM chat_messages WHERE id = $1 AND conversation = $2', [
    message,
    conversation,
  ])
  if (found === undefined) throw noMessage(message)
  return found
}

export async function insertHead({ run }: Pick<Connection, 'run'>, head: ConversationHead): Promise<void> {
  await run(
    `INSERT INTO conversations (id, updated_at, state_revision, doc, state, owner, shared)
     VALUES ($1, $2, 0, $3, $4, $5, $6)`,
    [
      head.id,
      head.updated_at,
      JSON.stringify(head),
      JSON.stringify(NO_STATE),
      head.owner ?? null,
      head.shared === true,
    ],
  )
}

export async function writeHead({ run }: Connection, head: ConversationHead): Promise<void> {
  await run('UPDATE conversations SET doc = $2, run_id = $3, updated_at = $4, shared = $5 WHERE id = $1', [
    head.id,
    JSON.stringify(head),
    head.run_id,
    head.updated_at,
    head.shared === true,
  ])
}
