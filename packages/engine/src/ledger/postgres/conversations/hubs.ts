import type { Connection, Database, Row } from '../database.ts'
import { LOCKS } from '../locks.ts'

/** Which process a run goes on in, while it does. */
export const conversationHubs = 'ALTER TABLE conversations ADD COLUMN hub integer;'

/** Who has a ledger open, and how others can see that. */
export interface Presence {
  readonly id: number
  readonly present: () => Promise<void>
}

export const setHub = ({ run }: Connection, conversation: string, hub: number): Promise<number> =>
  run('UPDATE conversations SET hub = $2 WHERE id = $1', [conversation, hub])

/** Runs of processes that do not live any more, which hold a lock while they do; and, unless only others' are asked for, of this one. */
export const leftBehind = (database: Database, hub: number, others: boolean): Promise<readonly Row[]> =>
  database.rows(
    `SELECT id, run_id FROM conversations
     WHERE run_id IS NOT NULL AND (hub IS NULL OR (hub = $2 AND NOT $3) OR NOT EXISTS (
       SELECT FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = $1 AND objid::bigint = hub
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))
     ORDER BY id`,
    [LOCKS.hub, hub, others],
  )
