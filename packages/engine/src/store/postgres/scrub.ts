import { setTimeout } from 'node:timers/promises'
import { type Connection, runTransaction } from './database.ts'

/**
 * Exists from the first change until the last table is rewritten. A process that finds it takes over from one
 * that died, and does not know which tables that one changed.
 */
const MARK = 'scrub'

/** Tables that other processes remove rows from beforehand, on connections of their own. */
const BY_OTHERS = ['trace_lines', 'template_texts']

/**
 * The names of tables that have to be rewritten because their pages keep traces of removed rows. Undefined
 * stands for any table.
 */
export type Scrubbed = Set<string> | undefined

export async function beginScrub({ row, run }: Connection): Promise<Scrubbed> {
  const found = await row(`SELECT current_setting('track_counts') = 'on' AS counts`)
  const isFirst = await run(`INSERT INTO marks VALUES ('${MARK}', '') ON CONFLICT DO NOTHING`)
  return isFirst === 1 && found?.counts === true ? new Set(BY_OTHERS) : undefined
}

/** Commits everything or nothing, and records which tables changed. */
export function changing<T>(connection: Connection, scrubbed: Scrubbed, work: () => Promise<T>): Promise<T> {
  return runTransaction(connection, 'BEGIN', async () => {
    const done = await work()
    const changed = await connection.rows(
      `SELECT relname FROM pg_stat_xact_user_tables WHERE schemaname = current_schema() AND n_tup_upd + n_tup_del > 0`,
    )
    for (const { relname } of changed) scrubbed?.add(String(relname))
    return done
  })
}

/**
 * Rewrites only these tables, because a rewrite blocks everybody who uses them. The index of sessions
 * rewrites its own.
 */
export async function scrub(connection: Connection, scrubbed: Scrubbed): Promise<void> {
  const { rows, run } = connection
  await unseen(connection)
  const used = await rows(
    `SELECT relname FROM pg_class AS one
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname !~ '^index_'
       AND (pg_relation_size(oid) > 0 OR pg_relation_size(nullif(reltoastrelid, 0)) > 0 OR EXISTS
         (SELECT FROM pg_index WHERE indrelid = one.oid AND pg_relation_size(indexrelid) > ${EMPTY_INDEX}))
     ORDER BY relname`,
  )
  for (const { relname } of used)
    if (scrubbed?.has(String(relname)) ?? true) await run(`VACUUM (FULL, ANALYZE) ${String(relname)}`)
  await run(`DELETE FROM marks WHERE name = '${MARK}'`)
}

const WAIT_LIMIT_MS = 15_000
const STEP_MS = 20

/**
 * Waits until no transaction can see what was just removed, because a rewritten table keeps rows that
 * somebody may still see. Writing transactions in any database of the server count too, since the rewrite's
 * own snapshot goes back to them. It gives up waiting after a time limit.
 */
export async function unseen({ row }: Connection): Promise<void> {
  const now = await row('SELECT pg_current_xact_id()::xid::text AS xid')
  const limit = performance.now() + WAIT_LIMIT_MS
  for (;;) {
    const found = await row(
      `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid()
         AND (age(backend_xid) > age($1::xid)
           OR age(backend_xmin) > age($1::xid) AND coalesce(datname, current_database()) = current_database())) AS seen`,
      [String(now?.xid)],
    )
    if (found?.seen !== true || performance.now() > limit) return
    await setTimeout(STEP_MS)
  }
}

/** An index that never held anything consists of one page about itself. */
const EMPTY_INDEX = 8_192
