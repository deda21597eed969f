import { schemaOf } from '../place.ts'
import { LEDGER_JOBS } from '../port.ts'
import type { Connection } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { migrations } from '../postgres/migrations.ts'
import type { SpaceLook } from './port.ts'

const HOUR_MS = 3_600_000
/** Of so many of the newest events the computers are told. */
const NEWEST = 20_000

/** The schema is asked by its name here, since many are looked at; names of spaces hold nothing that could end one. */
export async function lookAtSpace({ row, rows }: Connection, name: string): Promise<SpaceLook | null> {
  const schema = schemaOf(name)
  const made = await row('SELECT to_regclass($1) IS NOT NULL AS made', [`${schema}.head`])
  if (made?.made !== true) return null
  const head = await row(
    `SELECT last, base, (SELECT max(version) FROM ${schema}.schema_versions) AS version,
       (SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
        WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'm')) AS bytes,
       (SELECT count(*) FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname ~ '^events_p[0-9]+$') AS partitions,
       (SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass($2) AND inhdetachpending) AS unfinished
     FROM ${schema}.head`,
    [schema, `${schema}.events`],
  )
  const [last, base] = [Number(head?.last), Number(head?.base)]
  const since = async (ms: number) => {
    const found = await row(`SELECT count(*) AS n FROM ${schema}.events WHERE ts > $1 AND seq > $2`, [
      Date.now() - ms,
      base,
    ])
    return Number(found?.n)
  }
  const leads = await rows(
    `SELECT job, a.application_name AS by FROM unnest($1::text[]) AS job
     JOIN pg_locks AS l ON l.locktype = 'advisory' AND l.granted AND l.classid::bigint = $2
       AND l.objid::bigint = (hashtext($3 || '/' || job)::bigint & 4294967295) AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     JOIN pg_stat_activity AS a ON a.pid = l.pid ORDER BY job`,
    [LEDGER_JOBS, LOCKS.lead, schema],
  )
  // The body is read as a text: not every one of them can be read as JSON here.
  const hosts = await rows(
    `SELECT substring(body FROM '"host":"([^"\\\\]+)"') AS host, max(ts) AS last, count(*) AS events FROM ${schema}.events
     WHERE seq > $1 AND ts >= 0 GROUP BY 1 ORDER BY 2 DESC LIMIT 100`,
    [Math.max(base, last - NEWEST)],
  )
  return {
    name,
    version: Number(head?.version),
    known: migrations.length,
    events: last - base,
    bytes: Number(head?.bytes),
    events_last_hour: await since(HOUR_MS),
    events_last_day: await since(24 * HOUR_MS),
    partitions: Number(head?.partitions),
    unfinished: Number(head?.unfinished),
    leads: leads.map(({ job, by }) => ({ job: String(job), by: String(by).replace('panoptes lead ', '') })),
    hosts: hosts.flatMap(({ host, last: at, events }) =>
      host === null ? [] : [{ host: String(host), last_ts: Number(at), events: Number(events) }],
    ),
  }
}
