import type { Job } from '@panoptes/engine/worker-rpc'
import type { RemovedCount, SessionRef } from '@panoptes/schema'
import type { Forgotten } from '../forget-port.ts'
import { forgottenHash } from '../forgotten-sessions.ts'
import { rowKey } from '../projections/index.ts'
import { addCopies } from '../transcripts/copies.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import type { Connection, Database, Row } from './database.ts'
import { runExclusively } from './locks.ts'
import { toStoredKey } from './names.ts'
import { REPLACED, rebuildOn } from './rebuild.ts'
import { beginScrub, changing, scrub, unseen } from './scrub.ts'

const SLICE = 500

/** Removes what a table keeps about one session, and returns how many rows that was, by their label. */
export type Forgetter = (
  connection: Connection,
  session: SessionRef,
) => Promise<Readonly<Record<string, number>>>

export async function forgottenIn({ row, rows }: Pick<Connection, 'row' | 'rows'>): Promise<Forgotten> {
  const head = await row('SELECT forget_key FROM head')
  const hashes = await rows('SELECT hash FROM forgotten')
  return { key: head?.forget_key as Uint8Array, hashes: hashes.map(({ hash }) => String(hash)) }
}

export async function pendingIn({ rows }: Database): Promise<readonly SessionRef[]> {
  const found = await rows('SELECT source, id FROM forgetting ORDER BY source, id')
  return found.map(({ source, id }) => ({ source: String(source), id: String(id) }))
}

/**
 * Every process learns of it with its next append, because the head's turn changes. Returns the affected
 * sessions: copies are forgotten along with their session.
 */
export const beginForgetting = (
  database: Database,
  requested: readonly SessionRef[],
): Promise<readonly SessionRef[]> =>
  database.transaction(async ({ row, rows, run }) => {
    const sessions = await addCopies({ rows }, requested)
    const head = await row('UPDATE head SET turn = turn + 1 RETURNING forget_key')
    const key = head?.forget_key as Uint8Array
    await run('INSERT INTO forgetting SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING', [
      sessions.map(({ source }) => source),
      sessions.map(({ id }) => id),
    ])
    await run('INSERT INTO forgotten SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING', [
      sessions.map(({ source, id }) => forgottenHash(key, source, id)),
    ])
    return sessions
  })

export const endForgetting = (database: Database, sessions: readonly SessionRef[]): Promise<null> =>
  database.withConnection(async (connection) => {
    await connection.run(
      'DELETE FROM forgetting WHERE (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
      [sessions.map(({ source }) => source), sessions.map(({ id }) => id)],
    )
    await unseen(connection)
    await connection.run('VACUUM FULL forgetting')
    return null
  })

/**
 * Works slice by slice, so that appends continue meanwhile. Only the rewrite of the changed tables at the end
 * holds them up.
 */
export const forget = (
  database: Database,
  forgetters: readonly Forgetter[],
  sessions: readonly SessionRef[],
  job: Job,
): Promise<readonly RemovedCount[]> =>
  runExclusively(database, job, async (connection) => {
    const counts: Record<string, number> = { events: 0, agents: 0 }
    const add = (more: Readonly<Record<string, number>>) => {
      for (const [what, count] of Object.entries(more)) counts[what] = (counts[what] ?? 0) + count
    }
    const scrubbed = await beginScrub(connection)
    const changed = <T>(work: () => Promise<T>) => changing(connection, scrubbed, work)
    let rows = 0
    let done = 0
    for (const session of sessions) {
      const counted = await countRows(connection, session)
      rows += counted.rows
      add({ agents: counted.agents, events: await blank(connection, session, job, changed) })
      for (const forgetter of forgetters) add(await changed(() => forgetter(connection, session)))
      rows += await changed(() => dropBase(connection, session))
      await changed(() => dropMarks(connection, session))
      done += 1
      job.progress(done, sessions.length)
      await yieldToAppends(job)
    }
    if ((counts.events ?? 0) + rows > 0) {
      await rebuildOn(connection, database.schema, false, job)
      for (const table of REPLACED) scrubbed?.add(table)
    }
    await scrub(connection, scrubbed)
    return Object.entries(counts).map(([what, count]) => ({ from: 'ledger', what, count }))
  })

/**
 * Keeps the seq, so that the log has no gaps, and clears everything else of the event, including its time and
 * key.
 */
const BLANK = `
  WITH slice AS (SELECT seq FROM events WHERE session_id = $1 AND source = $2 LIMIT ${SLICE}),
  unkeyed AS (DELETE FROM event_keys WHERE seq IN (SELECT seq FROM slice)),
  blanked AS (
    UPDATE events SET ts = -1, event = '', source = '', session_id = '', agent_id = NULL, failed = false, body = ''
    WHERE seq IN (SELECT seq FROM slice) RETURNING seq
  )
  SELECT count(*) AS blanked, count(*) FILTER (WHERE seq > (SELECT base FROM head)) AS counted FROM blanked`

async function blank(
  { row }: Connection,
  { source, id }: SessionRef,
  job: Job,
  changed: (work: () => Promise<Row | undefined>) => Promise<Row | undefined>,
): Promise<number> {
  let count = 0
  for (;;) {
    const slice = await changed(() => row(BLANK, [id, source]))
    count += Number(slice?.counted)
    if (Number(slice?.blanked) < SLICE) return count
    await yieldToAppends(job)
  }
}

/**
 * Counts the session's rows in the projections. They are still there when an earlier run blanked its events
 * and died.
 */
async function countRows(
  { row }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly agents: number; readonly rows: number }> {
  const found = await row(
    `SELECT count(*) AS rows, count(*) FILTER (WHERE name = 'agents' AND key <> grp) AS agents FROM projection_rows
     WHERE name = 'agents' AND grp = $1 OR name = 'sessions' AND key = $1`,
    [toStoredKey(rowKey(source, id))],
  )
  return { agents: Number(found?.agents), rows: Number(found?.rows) }
}

/** Removes the session's agents and summary from what retention left. Sums over dropped events stay. */
const dropBase = ({ run }: Connection, { source, id }: SessionRef): Promise<number> =>
  run(`DELETE FROM projection_base WHERE name = 'agents' AND grp = $1 OR name = 'sessions' AND key = $1`, [
    toStoredKey(rowKey(source, id)),
  ])

/**
 * Removes the read positions of the session's transcript and of its agents' transcripts, which nobody reads
 * any more.
 */
async function dropMarks({ run }: Connection, { source, id }: SessionRef): Promise<void> {
  if (source !== 'claude-code') return
  await run(
    `DELETE FROM marks WHERE name LIKE 'transcript:%'
       AND (right(replace(name, '\\', '/'), length($1)) = $1 OR strpos(replace(name, '\\', '/'), $2) > 0)`,
    [`/${id}.jsonl`, `/${id}/subagents/`],
  )
}
