import type { Connection, Database, Row } from '../database.ts'
import { LOCKS } from '../locks.ts'

/** The process that executes a conversation's current run. */
export const conversationHubs = 'ALTER TABLE conversations ADD COLUMN hub integer;'

/** Identifies the processes that have a store open, and shows others that they are alive. */
export interface Presence {
  readonly id: number
  readonly present: () => Promise<void>
}

export const setHub = ({ run }: Connection, conversation: string, hub: number): Promise<number> =>
  run('UPDATE conversations SET hub = $2 WHERE id = $1', [conversation, hub])

/** A process that executes a run holds a lock for as long as it is alive. */
export const HUB_LIVES = `EXISTS (
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = ${LOCKS.hub} AND objid::bigint = hub
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

/** Runs of processes that are gone and, unless only others are asked for, of this one. */
export const findAbandonedRuns = (
  database: Database,
  hub: number,
  others: boolean,
): Promise<readonly Row[]> =>
  database.rows(
    `SELECT id, run_id FROM conversations
     WHERE run_id IS NOT NULL AND (hub IS NULL OR (hub = $1 AND NOT $2) OR NOT ${HUB_LIVES})
     ORDER BY id`,
    [hub, others],
  )
