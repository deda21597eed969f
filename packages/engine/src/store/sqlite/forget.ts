import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { Handlers, Job } from '@panoptes/engine/worker-rpc'
import { Refused } from '@panoptes/engine/worker-rpc'
import type { RemovedCount, SessionRef } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Forgotten } from '../forget-port.ts'
import { forgottenHash } from '../forgotten-sessions.ts'
import { rowKey } from '../projections/index.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import { dropNames, forgetAccount } from './accounts/index.ts'
import { forgetAchievements } from './achievement-store.ts'
import { forgetConversation } from './conversations.ts'
import { rebuild } from './rebuild.ts'
import { inTransaction } from './statements.ts'
import { forgetTemplateUses } from './template-uses.ts'
import { forgetTurns } from './turns.ts'
import type { Writer } from './writer.ts'

export interface ForgetWrites {
  forgetBegin(sessions: readonly SessionRef[]): null
  forget(sessions: readonly SessionRef[]): readonly RemovedCount[]
  forgetEnd(sessions: readonly SessionRef[]): null
}

const SLICE = 500

export const forgetWrites = (
  writer: () => Writer,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): Handlers<ForgetWrites> => ({
  forgetBegin: (_job, sessions) => {
    const { db } = writer()
    const { key } = forgottenIn(db)
    const pending = db.prepare('INSERT OR IGNORE INTO forgetting VALUES (?, ?)')
    const forgotten = db.prepare('INSERT OR IGNORE INTO forgotten VALUES (?)')
    inTransaction(db, () => {
      for (const { source, id } of sessions) {
        pending.run(source, id)
        forgotten.run(forgottenHash(key, source, id))
      }
    })
    return null
  },
  forget: (job, sessions) => inTurn(() => forget(writer(), sessions, job)),
  forgetEnd: async (_job, sessions) => {
    const { db } = writer()
    const done = db.prepare('DELETE FROM forgetting WHERE source = ? AND id = ?')
    secretly(db, () =>
      inTransaction(db, () => {
        for (const { source, id } of sessions) done.run(source, id)
      }),
    )
    await emptyLog(db)
    return null
  },
})

export function forgottenIn(db: DatabaseSync): Forgotten {
  const key = db.prepare("SELECT value FROM meta WHERE name = 'forget_key'").get()?.value
  const hashes = db.prepare('SELECT hash FROM forgotten').all()
  return { key: key as Uint8Array, hashes: hashes.map((row) => String(row.hash)) }
}

export const pendingIn = (db: DatabaseSync): readonly SessionRef[] =>
  db
    .prepare('SELECT source, id FROM forgetting ORDER BY source, id')
    .all()
    .map((row) => ({ source: String(row.source), id: String(row.id) }))

/**
 * Works slice by slice, so that appends continue meanwhile. Only copying the file at the end holds them up.
 */
async function forget(
  writer: Writer,
  sessions: readonly SessionRef[],
  job: Job,
): Promise<readonly RemovedCount[]> {
  const { db } = writer
  const counts = {
    events: 0,
    agents: 0,
    tags: 0,
    notes: 0,
    achievements: 0,
    templates: 0,
    accounts: 0,
    turns: 0,
    conversations: 0,
  }
  let rows = 0
  let done = 0
  for (const session of sessions) {
    counts.agents += countAgents(db, session)
    rows += countRows(db, session)
    counts.events += await blank(db, session, job)
    const marks = unmark(db, session)
    counts.tags += marks.tags
    counts.notes += marks.notes
    counts.achievements += forgetAchievements(db, session)
    counts.templates += forgetTemplateUses(db, session)
    counts.accounts += forgetAccount(db, session)
    counts.turns += forgetTurns(db, session)
    counts.conversations += forgetConversation(db, session)
    rows += dropBase(db, session)
    dropMarks(db, session)
    done += 1
    job.progress(done, sessions.length)
    await yieldToAppends(job)
  }
  dropNames(db)
  if (counts.events + rows > 0) await rebuild(writer, false, job)
  await scrub(writer)
  return Object.entries(counts).map(([what, count]) => ({ from: 'ledger', what, count }))
}

/**
 * Keeps the seq, so that the log has no gaps, and clears everything else of the event, including its time and
 * key.
 */
const BLANK = `UPDATE events SET key = char(31) || seq, ts = -1, event = '', source = '', session_id = '', agent_id = NULL,
    failed = 0, body = ''
  WHERE seq IN (SELECT seq FROM events INDEXED BY events_session WHERE session_id = ? AND source = ? LIMIT ${SLICE})`

async function blank(db: DatabaseSync, { source, id }: SessionRef, job: Job): Promise<number> {
  const statement = db.prepare(BLANK)
  let count = 0
  for (;;) {
    const changes = Number(statement.run(id, source).changes)
    count += changes
    if (changes < SLICE) return count
    await yieldToAppends(job)
  }
}

function countAgents(db: DatabaseSync, { source, id }: SessionRef): number {
  const group = rowKey(source, id)
  const row = db
    .prepare("SELECT count(*) AS count FROM projection_rows WHERE name = 'agents' AND grp = ? AND key <> grp")
    .get(group)
  return Number(row?.count ?? 0)
}

/**
 * Counts the session's rows in the projections. They are still there when an earlier run blanked its events
 * and died.
 */
function countRows(db: DatabaseSync, { source, id }: SessionRef): number {
  const key = rowKey(source, id)
  const row = db
    .prepare(
      `SELECT count(*) AS count FROM projection_rows
       WHERE name = 'agents' AND grp = ?1 OR name = 'sessions' AND key = ?1`,
    )
    .get(key)
  return Number(row?.count ?? 0)
}

function unmark(
  db: DatabaseSync,
  { source, id }: SessionRef,
): { readonly tags: number; readonly notes: number } {
  const row = db
    .prepare(
      'DELETE FROM session_marks WHERE source = ? AND id = ? RETURNING json_array_length(tags) AS tags, note',
    )
    .get(source, id)
  return { tags: Number(row?.tags ?? 0), notes: row === undefined || row.note === null ? 0 : 1 }
}

/** Removes the session's agents and summary from what retention left. Sums over dropped events stay. */
function dropBase(db: DatabaseSync, { source, id }: SessionRef): number {
  const key = rowKey(source, id)
  const dropped = db
    .prepare("DELETE FROM projection_base WHERE name = 'agents' AND grp = ? OR name = 'sessions' AND key = ?")
    .run(key, key)
  return Number(dropped.changes)
}

/**
 * Removes the read positions of the session's transcript and of its agents' transcripts, which nobody reads
 * any more.
 */
function dropMarks(db: DatabaseSync, { source, id }: SessionRef): void {
  if (source !== 'claude-code') return
  const path = "replace(name, '\\', '/')"
  db.prepare(
    `DELETE FROM marks WHERE name LIKE 'transcript:%'
       AND (substr(${path}, -length(?1)) = ?1 OR instr(${path}, ?2) > 0)`,
  ).run(`/${id}.jsonl`, `/${id}/subagents/`)
}

/** Rewrites the file and empties the write-ahead log, because pages keep traces of removed rows. */
export async function scrub(writer: Writer): Promise<void> {
  const { db } = writer
  // The copy is as large as the store, so it must not be held in memory.
  db.exec('PRAGMA temp_store = FILE')
  try {
    db.exec('VACUUM')
  } finally {
    db.exec('PRAGMA temp_store = MEMORY')
    // Rows may have other row ids now.
    writer.forgetRows()
  }
  await emptyLog(db)
}

const PATIENCE_MS = 10_000
const AGAIN_MS = 25

/** Waits for readers and for the keeper to finish. */
async function emptyLog(db: DatabaseSync): Promise<void> {
  const empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (empty.get()?.busy === 0) return
    await setTimeout(AGAIN_MS)
  }
  throw new Refused(
    failure(
      'busy',
      'Another process keeps reading the store, so its log could not be emptied. Run the command again.',
    ),
  )
}

function secretly(db: DatabaseSync, work: () => void): void {
  db.exec('PRAGMA secure_delete = ON')
  try {
    work()
  } finally {
    db.exec('PRAGMA secure_delete = OFF')
  }
}
