import { Refused } from '@panoptes/engine/threads'
import { failure } from '@panoptes/schema/result'
import type { RunWish } from '../../conversations-port.ts'
import type { Connection, Database } from '../database.ts'
import { HUB_LIVES } from './hubs.ts'
import { lockedRow } from './rows.ts'

/** What hubs want of runs of other hubs, until those take it or the run ends. */
export const conversationWishes = `
  CREATE TABLE chat_wishes (
    number bigserial PRIMARY KEY,
    conversation text COLLATE "C" NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    doc text NOT NULL,
    UNIQUE (run_id, request)
  );
  CREATE INDEX chat_wishes_conversation ON chat_wishes (conversation);`

interface Wished {
  readonly id: string
  readonly run: string
  readonly wish: RunWish
}

/** Under the lock of its conversation, so that none is left behind by a run that ends meanwhile. */
export async function putWish(
  connection: Connection,
  here: number,
  { id, run, wish }: Wished,
): Promise<boolean> {
  await lockedRow(connection, id)
  const goesOn = await connection.row(
    `SELECT FROM conversations WHERE id = $1 AND run_id = $2 AND hub <> $3 AND ${HUB_LIVES}`,
    [id, run, here],
  )
  if (goesOn === undefined) throw new Refused(failure('not_found', 'No other process works on this run.'))
  const request = JSON.stringify(wish.wants === 'answer' ? wish.request : null)
  const put = await connection.run(
    `INSERT INTO chat_wishes (conversation, run_id, request, doc) VALUES ($1, $2, $3, $4)
     ON CONFLICT (run_id, request) DO NOTHING`,
    [id, run, request, JSON.stringify(wish)],
  )
  return put > 0
}

export async function takeWishes({ rows }: Pick<Database, 'rows'>, run: string): Promise<readonly RunWish[]> {
  const taken = await rows(
    `WITH taken AS (DELETE FROM chat_wishes WHERE run_id = $1 RETURNING number, doc)
     SELECT doc FROM taken ORDER BY number`,
    [run],
  )
  return taken.map(({ doc }) => JSON.parse(String(doc)) as RunWish)
}

export const dropWishes = ({ run }: Connection, id: string): Promise<number> =>
  run('DELETE FROM chat_wishes WHERE run_id = $1', [id])
