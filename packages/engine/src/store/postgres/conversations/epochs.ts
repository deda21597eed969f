import { addNextSummary, createFactReplacement } from '../../conversations/epochs.ts'
import { parseEpoch } from '../../conversations/row-parsing.ts'
import type { ChatEpoch, NextSummary } from '../../conversations-port.ts'
import type { Connection } from '../database.ts'
import { readPlaces } from './rows.ts'

export async function writeEpoch(
  { run }: Pick<Connection, 'run'>,
  id: string,
  epoch: ChatEpoch | null,
): Promise<null> {
  await run('UPDATE conversations SET epoch = $2 WHERE id = $1', [
    id,
    epoch === null ? null : JSON.stringify(epoch),
  ])
  return null
}

export async function setNextSummary(connection: Connection, id: string, next: NextSummary): Promise<null> {
  const epoch = parseEpoch(
    await connection.row('SELECT epoch FROM conversations WHERE id = $1 FOR UPDATE', [id]),
  )
  const place = await readPlaces(connection, id, [epoch?.summarised_to ?? [], next.to].flat())
  const changed = addNextSummary(epoch, next, place)
  return changed === null ? null : writeEpoch(connection, id, changed)
}

export async function forgetFact({ row, run }: Connection, id: string, text: string): Promise<boolean> {
  const fact = await row('DELETE FROM facts WHERE id = $1 RETURNING owner', [id])
  if (fact !== undefined && text !== '') await removeFactText({ run }, text, fact.owner as string | null)
  return fact !== undefined
}

/** Removes a fact from the context that its owner's conversations send again. */
async function removeFactText(
  { run }: Pick<Connection, 'run'>,
  text: string,
  owner: string | null,
): Promise<void> {
  const { lineInJson, insteadInJson } = createFactReplacement(text)
  // This changes many rows in no particular order. With the table lock, anybody who changes a conversation
  // waits before taking any lock, so there is no deadlock.
  await run('LOCK TABLE conversations IN EXCLUSIVE MODE')
  const swap = (table: string, column: string, conversation: string) =>
    run(
      `UPDATE ${table} SET ${column} = replace(${column}, $1, $2) WHERE strpos(${column}, $1) > 0
         AND ${conversation} IN (SELECT id FROM conversations WHERE owner IS NOT DISTINCT FROM $3)`,
      [lineInJson, insteadInJson, owner],
    )
  await swap('chat_messages', 'preamble', 'conversation')
  await swap('chat_messages', 'sent', 'conversation')
  await swap('conversations', 'epoch', 'id')
}
