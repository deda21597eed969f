import type { Job } from '@panoptes/engine/threads'
import type { RemovedCount, SessionRef } from '@panoptes/schema'
import { breathe } from '../breathe.ts'
import type { Forgotten } from '../forget-port.ts'
import { forgottenHash } from '../forgotten-sessions.ts'
import { rowKey } from '../projections/index.ts'
import type { Connection, Database, Row } from './database.ts'
import { alone } from './locks.ts'
import { storedKey } from './names.ts'
import { REPLACED, rebuildOn } from './rebuild.ts'
import { beginScrub, changing, scrub, unseen } from './scrub.ts'

const SLICE = 500

/** What else is kept of sessions: removes it of one, and says how much that was by what it is called. */
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

/** Every process hears of it with its next append, by the turn of the head. */
export const beginForgetting = (database: Database, sessions: readonly SessionRef[]): Promise<null> =>
  database.transaction(async ({ row, run }) => {
    const head = await row('UPDATE head SET turn = turn + 1 RETURNING forget_key')
    const key = head?.forget_key as Uint8Array
    await run('INSERT INTO forgetting SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING', [
      sessions.map(({ source }) => source),
      sessions.map(({ id }) => id),
    ])
    await run('INSERT INTO forgotten SELECT * FROM unnest($1::text[]) ON CONFLICT DO NOTHING', [
      sessions.map(({ source, id }) => forgottenHash(key, source, id)),
    ])
    return null
  })

export const endForgetting = (database: Database, sessions: readonly SessionRef[]): Promise<null> =>
  database.connected(async (connection) => {
    await connection.run(
      'DELETE FROM forgetting WHERE (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
      [sessions.map(({ source }) => source), sessions.map(({ id }) => id)],
    )
    await unseen(connection)
    await connection.run('VACUUM FULL forgetting')
    return null
  })

/** Slice by slice, so that appends go on meanwhile; only the writing anew of the tables that changed holds them up, at the end. */
export const forget = (
  database: Database,
  forgetters: readonly Forgetter[],
  sessions: readonly SessionRef[],
  job: Job,
): Promise<readonly RemovedCount[]> =>
  alone(database, job, async (connection) => {
    const counts: Record<string, number> = { events: 0, agents: 0 }
    const add = (more: Readonly<Record<string, number>>) => {
      for (const [what, count] of Object.entries(more)) counts[what] = (counts[what] ?? 0) + count
    }
    const scrubbed = await beginScrub(connection)
    const changed = <T>(work: () => Promise<T>) => changing(connection, scrubbed, work)
    let rows = 0
    let done = 0
    for (const session of sessions) {
      const kept = await rowsOf(connection, session)
      rows += kept.rows
      add({ agents: kept.agents, events: await blank(connection, session, job, changed) })
      for (const forgetter of forgetters) add(await changed(() => forgetter(connection, session)))
      rows += await changed(() => dropBase(connection, session))
      await changed(() => dropMarks(connection, session))
      done += 1
      job.progress(done, sessions.length)
      await breathe(job)
    }
    if ((counts.events ?? 0) + rows > 0) {
      await rebuildOn(connection, database.schema, false, job)
      for (const table of REPLACED) scrubbed?.add(table)
    }
    await scrub(connection, scrubbed)
    return Object.entries(counts).map(([what, count]) => ({ from: 'ledger', what, count }))
  })

/** The seq stays, so that the log has no holes; everything else of the event goes, its time and its key too. */
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
    await breathe(job)
  }
}

/** Its rows in the projections: those of one whose events a run that died blanked are still there. */
async function rowsOf(
  { row }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly agents: number; readonly rows: number }> {
  const found = await row(
    `SELECT count(*) AS rows, count(*) FILTER (WHERE name = 'agents' AND key <> grp) AS agents FROM projection_rows
     WHERE name = 'agents' AND grp = $1 OR name = 'sessions' AND key = $1`,
    [storedKey(rowKey(source, id))],
  )
  return { agents: Number(found?.agents), rows: Number(found?.rows) }
}

/** What retention left of it: its agents and its summary. The sums of what was dropped stay. */
const dropBase = ({ run }: Connection, { source, id }: SessionRef): Promise<number> =>
  run(`DELETE FROM projection_base WHERE name = 'agents' AND grp = $1 OR name = 'sessions' AND key = $1`, [
    storedKey(rowKey(source, id)),
  ])

/** How far its transcript and those of its agents were read: nobody reads them any more. */
async function dropMarks({ run }: Connection, { source, id }: SessionRef): Promise<void> {
  if (source !== 'claude-code') return
  await run(
    `DELETE FROM marks WHERE name LIKE 'transcript:%'
       AND (right(replace(name, '\\', '/'), length($1)) = $1 OR strpos(replace(name, '\\', '/'), $2) > 0)`,
    [`/${id}.jsonl`, `/${id}/subagents/`],
  )
}
