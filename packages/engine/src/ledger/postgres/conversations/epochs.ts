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

export async function forgetFact({ run }: Connection, id: string, told: string): Promise<boolean> {
  const isGone = (await run('DELETE FROM facts WHERE id = $1', [id])) > 0
  if (isGone && told !== '') await unsay({ run }, told)
  return isGone
}

/** What a conversation sends again must not tell what was to be forgotten. */
async function unsay({ run }: Pick<Connection, 'run'>, told: string): Promise<void> {
  const { lineInJson, insteadInJson } = unsaid(told)
  // Many rows are changed, in no order: whoever changes a conversation meanwhile waits before they hold anything, so nobody waits for ever.
  await run('LOCK TABLE conversations IN EXCLUSIVE MODE')
  const swap = (table: string, column: string) =>
    run(`UPDATE ${table} SET ${column} = replace(${column}, $1, $2) WHERE strpos(${column}, $1) > 0`, [
      lineInJson,
      insteadInJson,
    ])
  await swap('chat_messages', 'preamble')
  await swap('chat_messages', 'sent')
  await swap('conversations', 'epoch')
}
