import type { DatabaseSync } from 'node:sqlite'
import type { Job } from '@panoptes/engine/threads'
import type { StoredEvent } from '@panoptes/schema'
import { breathe } from '../breathe.ts'
import type { RetentionPolicy } from '../port.ts'
import { projections } from '../projections/index.ts'
import { IN_USE } from './checkpoint.ts'
import { FORGOTTEN, numberOf } from './migrations.ts'
import { Projector } from './projector.ts'
import { baseSeq, lastSeq, type Writer } from './writer.ts'

const SLICE = 1_000
const VACUUM_PAGES = 500
const DAY_MS = 86_400_000

/** Drops the oldest events slice by slice, folding each slice into the base that a rebuild starts from. */
export async function retain(writer: Writer, policy: RetentionPolicy, job: Job): Promise<number> {
  const { db } = writer
  const start = baseSeq(db)
  const projector = new Projector(db, 'projection_base', projections)
  const most = policy.keepAfter ?? Number.MAX_SAFE_INTEGER
  let target = Math.min(most, Math.max(start, cutByAge(db, policy.before)))
  let at = start
  while (true) {
    if (at >= target) target = Math.min(most, cutBySize(db, at, policy.maxBytes))
    if (at >= target) break
    at = dropSlice(db, projector, at, Math.min(target, at + SLICE))
    job.progress(at - start, Math.max(target, at) - start)
    await breathe(job)
  }
  if (at === start) return 0
  writer.cut()
  await shrink(db, job)
  return at - start
}

/**
 * The last old event before the first young one. A stamp from the future tells a wrong clock, not an age: such an event goes
 * with the old ones around it, and would otherwise hold back all that came after it.
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

/** Another slice while the file's used pages are over the limit. The newest slice always stays. */
function cutBySize(db: DatabaseSync, at: number, maxBytes: number | undefined): number {
  if (maxBytes === undefined || usedBytes(db) <= maxBytes) return at
  return Math.max(at, Math.min(at + SLICE, lastSeq(db) - SLICE))
}

function usedBytes(db: DatabaseSync): number {
  const pages = numberOf(db, 'PRAGMA page_count') - numberOf(db, 'PRAGMA freelist_count')
  return pages * numberOf(db, 'PRAGMA page_size')
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
    for (const kept of Object.values(IN_USE)) db.prepare(`DELETE FROM ${kept} WHERE seq <= ?`).run(to)
    db.prepare("UPDATE meta SET value = ? WHERE name = 'base_seq'").run(to)
    db.exec('COMMIT')
    return to
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

async function shrink(db: DatabaseSync, job: Job): Promise<void> {
  while (numberOf(db, 'PRAGMA freelist_count') > 0) {
    db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`)
    await breathe(job)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
