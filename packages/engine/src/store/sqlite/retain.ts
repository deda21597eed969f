import type { DatabaseSync } from 'node:sqlite'
import type { Job } from '@panoptes/engine/worker-rpc'
import type { StoredEvent } from '@panoptes/schema'
import type { RetentionPolicy } from '../port.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import { IN_USE } from './checkpoint.ts'
import { FORGOTTEN, readNumber } from './migrations.ts'
import { Projector } from './projector.ts'
import { baseSeq, lastSeq, type Writer } from './writer.ts'

const SLICE = 1_000
const VACUUM_PAGES = 500
const DAY_MS = 86_400_000

/** Drops the oldest events slice by slice, and folds each slice into the base that a rebuild starts from. */
export async function retain(writer: Writer, policy: RetentionPolicy, job: Job): Promise<number> {
  const { db } = writer
  const start = baseSeq(db)
  const projector = new Projector(db, 'projection_base')
  const most = policy.keepAfter ?? Number.MAX_SAFE_INTEGER
  let target = Math.min(most, Math.max(start, cutByAge(db, policy.before)))
  let at = start
  while (true) {
    if (at >= target) target = Math.min(most, cutBySize(db, at, policy.maxBytes))
    if (at >= target) break
    at = dropSlice(db, projector, at, Math.min(target, at + SLICE))
    job.progress(at - start, Math.max(target, at) - start)
    await yieldToAppends(job)
  }
  if (at === start) return 0
  writer.cut()
  await shrink(db, job)
  return at - start
}

/**
 * Finds the last old event before the first young one. A timestamp in the future means a wrong clock, not a
 * young event: such an event goes with the old ones around it, because otherwise it would hold back
 * everything after it.
 */
function cutByAge(db: DatabaseSync, before: number | undefined): number {
  if (before === undefined) return 0
  const old = Math.trunc(before)
  const future = Math.max(Date.now(), old) + DAY_MS
  const young = db
    .prepare('SELECT seq FROM events NOT INDEXED WHERE ts >= ? AND ts <= ? ORDER BY seq LIMIT 1')
    .get(old, future)
  const cut = db
    .prepare('SELECT seq FROM events NOT INDEXED WHERE seq < ? AND ts < ? ORDER BY seq DESC LIMIT 1')
    .get(Number(young?.seq ?? Number.MAX_SAFE_INTEGER), old)
  return Number(cut?.seq ?? 0)
}

/** Drops another slice while the file's used pages exceed the limit. The newest slice always stays. */
function cutBySize(db: DatabaseSync, at: number, maxBytes: number | undefined): number {
  if (maxBytes === undefined || usedBytes(db) <= maxBytes) return at
  return Math.max(at, Math.min(at + SLICE, lastSeq(db) - SLICE))
}

function usedBytes(db: DatabaseSync): number {
  const pages = readNumber(db, 'PRAGMA page_count') - readNumber(db, 'PRAGMA freelist_count')
  return pages * readNumber(db, 'PRAGMA page_size')
}

function dropSlice(db: DatabaseSync, projector: Projector, from: number, to: number): number {
  try {
    db.exec('BEGIN IMMEDIATE')
    const rows = db
      .prepare('SELECT seq, body FROM events WHERE seq > ? AND seq <= ? ORDER BY seq')
      .all(from, to)
    for (const row of rows) {
      if (row.body === FORGOTTEN) continue
      projector.apply({ ...(JSON.parse(String(row.body)) as StoredEvent), seq: Number(row.seq) })
    }
    projector.flush()
    db.prepare('DELETE FROM events WHERE seq > ? AND seq <= ?').run(from, to)
    for (const table of Object.values(IN_USE)) db.prepare(`DELETE FROM ${table} WHERE seq <= ?`).run(to)
    db.prepare("UPDATE meta SET value = ? WHERE name = 'base_seq'").run(to)
    db.exec('COMMIT')
    return to
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

async function shrink(db: DatabaseSync, job: Job): Promise<void> {
  while (readNumber(db, 'PRAGMA freelist_count') > 0) {
    db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`)
    await yieldToAppends(job)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
