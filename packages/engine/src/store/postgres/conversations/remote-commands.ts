import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import type { RemoteCommand } from '../../conversations-port.ts'
import type { Connection, Database } from '../database.ts'
import { HUB_LIVES } from './hubs.ts'
import { lockedRow } from './rows.ts'

/** Commands from hubs to runs on other hubs. They stay until that hub takes them or the run ends. */
export const remoteCommandTable = `
  CREATE TABLE chat_wishes (
    number bigserial PRIMARY KEY,
    conversation text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    doc text NOT NULL,
    UNIQUE (run_id, request)
  );
  CREATE INDEX chat_wishes_conversation ON chat_wishes (conversation);`

interface SentCommand {
  readonly id: string
  readonly run: string
  readonly command: RemoteCommand
}

/** Holds the lock of the conversation, so that a run that ends meanwhile leaves no command behind. */
export async function putRemoteCommand(
  connection: Connection,
  here: number,
  { id, run, command }: SentCommand,
): Promise<boolean> {
  await lockedRow(connection, id)
  const goesOn = await connection.row(
    `SELECT FROM conversations WHERE id = $1 AND run_id = $2 AND hub <> $3 AND ${HUB_LIVES}`,
    [id, run, here],
  )
  if (goesOn === undefined) throw new Refused(failure('not_found', 'No other process works on this run.'))
  const request = JSON.stringify(command.wants === 'answer' ? command.request : null)
  const put = await connection.run(
    `INSERT INTO chat_wishes (conversation, run_id, request, doc) VALUES ($1, $2, $3, $4)
     ON CONFLICT (run_id, request) DO NOTHING`,
    [id, run, request, JSON.stringify(command)],
  )
  return put > 0
}

export async function takeRemoteCommands(
  { rows }: Pick<Database, 'rows'>,
  run: string,
): Promise<readonly RemoteCommand[]> {
  const taken = await rows(
    `WITH taken AS (DELETE FROM chat_wishes WHERE run_id = $1 RETURNING number, doc)
     SELECT doc FROM taken ORDER BY number`,
    [run],
  )
  return taken.map(({ doc }) => JSON.parse(String(doc)) as RemoteCommand)
}

export const dropRemoteCommands = ({ run }: Connection, id: string): Promise<number> =>
  run('DELETE FROM chat_wishes WHERE run_id = $1', [id])
