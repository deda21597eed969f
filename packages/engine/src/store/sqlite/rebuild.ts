import type { DatabaseSync } from 'node:sqlite'
import type { Job } from '@panoptes/engine/worker-rpc'
import type { RebuildReply, StoredEvent } from '@panoptes/schema'
import { projections } from '../projections/index.ts'
import { countWrong, WRONG_ROWS, wrongRows } from '../wrong-rows.ts'
import { yieldToAppends } from '../yield-to-appends.ts'
import { Checkpoints, IN_USE, NEXT } from './checkpoint.ts'
import { checkpointTables, FORGOTTEN, looseRows, readNumber } from './migrations.ts'
import { Projector } from './projector.ts'
import { baseSeq, lastSeq, type Writer } from './writer.ts'

const SLICE = 2_000

/**
 * Folds the log into new tables beside the stored rows, compares both in one snapshot, and replaces the
 * stored rows.
 */
export async function rebuild(writer: Writer, check: boolean, job: Job): Promise<RebuildReply> {
  const { db } = writer
  try {
    return await rebuildBeside(writer, check, job)
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
    dropLeftovers(db)
  }
}

/** Removes the table that a rebuild left behind when it crashed. */
export function dropLeftovers(db: DatabaseSync): void {
  db.exec('DROP TABLE IF EXISTS projection_next')
  for (const table of Object.values(NEXT)) db.exec(`DROP TABLE IF EXISTS ${table}`)
}

async function rebuildBeside(writer: Writer, check: boolean, job: Job): Promise<RebuildReply> {
  const { db } = writer
  dropLeftovers(db)
  db.exec('BEGIN IMMEDIATE')
  db.exec(looseRows('projection_next'))
  db.exec('CREATE UNIQUE INDEX projection_next_key ON projection_next (name, key)')
  db.exec(checkpointTables('_next'))
  db.exec('INSERT INTO projection_next SELECT * FROM projection_base')
  db.exec("CREATE INDEX projection_next_alive ON projection_next (name, grp) WHERE tag = 'alive'")
  db.exec('CREATE INDEX projection_next_tag ON projection_next (name, tag, ord)')
  db.exec('COMMIT')
  const base = baseSeq(db)
  const projector = new Projector(db, 'projection_next')
  const checkpoints = new Checkpoints(db, 'projection_next', NEXT)
  const page = db.prepare('SELECT seq, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
  let at = base
  let events = 0
  while (true) {
    db.exec('BEGIN IMMEDIATE')
    for (const row of page.all(at, SLICE)) {
      at = Number(row.seq)
      if (row.body === FORGOTTEN) continue
      const event = { ...(JSON.parse(String(row.body)) as StoredEvent), seq: at }
      projector.apply(event)
      events += 1
      checkpoints.saw(event)
    }
    projector.flush()
    if (at > base && checkpoints.isDue(at)) checkpoints.write(at)
    const last = lastSeq(db)
    job.progress(at - base, last - base)
    if (at >= last) break
    db.exec('COMMIT')
    await yieldToAppends(job)
  }
  const wrong = wrongRows(db.prepare(WRONG_ROWS).all())
  const rows = readNumber(db, 'SELECT count(*) FROM projection_next')
  if (check) db.exec('ROLLBACK')
  else {
    db.exec('DELETE FROM projection_rows')
    db.exec('INSERT INTO projection_rows SELECT * FROM projection_next')
    for (const table of ['checkpoints', 'parked', 'late'] as const) {
      db.exec(`DELETE FROM ${IN_USE[table]}`)
      db.exec(`INSERT INTO ${IN_USE[table]} SELECT * FROM ${NEXT[table]}`)
    }
    rememberVersions(db)
    db.exec('COMMIT')
    writer.forgetRows()
  }
  return { events, rows, differences: countWrong(wrong), wrong: [...wrong], applied: !check }
}

function rememberVersions(db: DatabaseSync): void {
  db.exec('DELETE FROM projection_versions')
  const remember = db.prepare('INSERT INTO projection_versions VALUES (?, ?)')
  for (const projection of projections) remember.run(projection.name, projection.version)
}

/**
 * Returns whether the stored rows were made by other projections than this program's. An empty log needs no
 * rebuild.
 */
export function rowsAreStale(db: DatabaseSync): boolean {
  const storedVersions = new Map(
    db
      .prepare('SELECT name, version FROM projection_versions')
      .all()
      .map((row) => [String(row.name), Number(row.version)]),
  )
  const current =
    storedVersions.size === projections.length &&
    projections.every((p) => storedVersions.get(p.name) === p.version)
  if (current) return false
  if (lastSeq(db) > 0) return true
  rememberVersions(db)
  return false
}
