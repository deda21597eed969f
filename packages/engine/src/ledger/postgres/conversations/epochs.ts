import { unsaid, withNext } from '../../conversations/epochs.ts'
import { epochIn } from '../../conversations/stored.ts'
import type { ChatEpoch, NextSummary } from '../../conversations-port.ts'
import type { Connection } from '../database.ts'
import { placesOf } from './rows.ts'

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
  const epoch = epochIn(
    await connection.row('SELECT epoch FROM conversations WHERE id = $1 FOR UPDATE', [id]),
  )
  const place = await placesOf(connection, id, [epoch?.summarised_to ?? [], next.to].flat())
  const changed = withNext(epoch, next, place)
  return changed === null ? null : writeEpoch(connection, id, changed)
}

export async function forgetFact({ row, run }: Connection, id: string, told: string): Promise<boolean> {
  const fact = await row('DELETE FROM facts WHERE id = $1 RETURNING owner', [id])
  if (fact !== undefined && told !== '') await unsay({ run }, told, fact.owner as string | null)
  return fact !== undefined
}

/** What a conversation of whose fact it was sends again must not tell what was to be forgotten. */
async function unsay({ run }: Pick<Connection, 'run'>, told: string, owner: string | null): Promise<void> {
  const { lineInJson, insteadInJson } = unsaid(told)
  // Many rows are changed, in no order: whoever changes a conversation meanwhile waits before they hold anything, so nobody waits for ever.
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
