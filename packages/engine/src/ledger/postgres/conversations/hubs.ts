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

/** Whether the process lives that a conversation has a run in: it holds a lock while it does. */
export const HUB_LIVES = `EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = ${LOCKS.hub} AND objid::bigint = hub
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

/** Runs of processes that do not live any more; and, unless only others' are asked for, of this one. */
export const leftBehind = (database: Database, hub: number, others: boolean): Promise<readonly Row[]> =>
  database.rows(
    `SELECT id, run_id FROM conversations
     WHERE run_id IS NOT NULL AND (hub IS NULL OR (hub = $1 AND NOT $2) OR NOT ${HUB_LIVES})
     ORDER BY id`,
    [hub, others],
  )
