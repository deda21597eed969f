import { setTimeout } from 'node:timers/promises'
import { type Connection, within } from './database.ts'

/** There from the first change to the last table: whoever finds it goes on for one that died, and does not know what that changed. */
const MARK = 'scrub'

/** What others take something out of before, by connections of their own, in any process. */
const BY_OTHERS = ['trace_lines', 'template_texts']

/** Names of tables that have to be written anew, since pages keep traces of what was in them; undefined where it may be any. */
export type Scrubbed = Set<string> | undefined

export async function beginScrub({ row, run }: Connection): Promise<Scrubbed> {
  const found = await row(`SELECT current_setting('track_counts') = 'on' AS counts`)
  const isFirst = await run(`INSERT INTO marks VALUES ('${MARK}', '') ON CONFLICT DO NOTHING`)
  return isFirst === 1 && found?.counts === true ? new Set(BY_OTHERS) : undefined
}

/** All of it is committed, or none, and what tables it changed is noted. */
export function changing<T>(connection: Connection, scrubbed: Scrubbed, work: () => Promise<T>): Promise<T> {
  return within(connection, 'BEGIN', async () => {
    const done = await work()
    const changed = await connection.rows(
      `SELECT relname FROM pg_stat_xact_user_tables WHERE schemaname = current_schema() AND n_tup_upd + n_tup_del > 0`,
    )
    for (const { relname } of changed) scrubbed?.add(String(relname))
    return done
  })
}

/** Only what is written anew waits for nobody, and everybody for it. The index of sessions does so itself. */
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

const PATIENCE_MS = 5_000
const STEP_MS = 20

/**
 * Until nobody may see what was just removed: what somebody may, a table keeps when it is written anew. Whoever looks for longer than that is
 * not waited for.
 */
export async function unseen({ row }: Connection): Promise<void> {
  const now = await row('SELECT pg_current_xact_id()::xid::text AS xid')
  const limit = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await row(
      `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND greatest(age(backend_xmin), age(backend_xid)) > age($1::xid)) AS seen`,
      [String(now?.xid)],
    )
    if (found?.seen !== true || performance.now() > limit) return
    await setTimeout(STEP_MS)
  }
}

/** A page about itself is all that an index has which never held anything. */
const EMPTY_INDEX = 8_192
