import type { ConversationHead } from '@panoptes/schema'
import { epochBefore, forkedEpoch, namedBy } from '../../conversations/epochs.ts'
import { epochIn, headIn, messageIn } from '../../conversations/row-parsing.ts'
import { forked, isSameOwner, NO_STATE } from '../../conversations/rules.ts'
import type { Connection } from '../database.ts'
import { writeEpoch } from './epochs.ts'
import { insertHead, lockedRow, messageRow, readPlaces } from './rows.ts'

export async function fork(
  connection: Connection,
  id: string,
  message: string,
  head: ConversationHead,
): Promise<null> {
  const row = await lockedRow(connection, id)
  const isOwn = isSameOwner(headIn(row), head)
  const at = Number((await messageRow(connection, id, message)).number)
  await insertHead(connection, head)
  const named = await copyMessages(connection, { id, at, isOwn }, head.id)
  if (!isOwn) return null
  const stored = epochIn(row)
  const place = await readPlaces(connection, id, namedBy(stored, NO_STATE))
  const epoch = epochBefore(stored, place, at + 1)
  return epoch === null ? null : writeEpoch(connection, head.id, forkedEpoch(epoch, named))
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
    const message = messageIn(row)
    return { number: Number(row.number), was: message.id, is: forked(message, fork, Number(row.number)) }
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
