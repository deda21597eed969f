import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { hubsIn } from '../hubs/postgres.ts'
import { spaceSchema, TEAM_SCHEMA } from '../open-store.ts'
import { STORE_JOBS } from '../port.ts'
import { type Connection, openDatabase } from '../postgres/database.ts'
import { formatAddress, toFailure } from '../postgres/failures.ts'
import { LOCKS } from '../postgres/locks.ts'
import { migrations } from '../postgres/migrations.ts'
import { teamMigrations } from '../team/postgres/tables.ts'
import type { DatabaseLook, Look, Setting, SpaceLook, TeamLook } from './port.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Inspects everything that a team's database reports, without changing it. */
export async function inspectDatabaseAt(url: string): Promise<Result<Look>> {
  const database = openDatabase(url, TEAM_SCHEMA, {
    max: 1,
    patient: true,
    application_name: 'panoptes doctor',
  })
  const began = performance.now()
  try {
    return success(
      await database.withConnection(async (connection) => {
        await connection.run('SET default_transaction_read_only = on')
        const about = await inspectDatabase(connection, performance.now() - began)
        const team = await inspectTeam(connection)
        const spaces: SpaceLook[] = []
        for (const name of team === null ? [] : await spacesIn(connection)) {
          const space = await inspectSpace(connection, name)
          if (space !== null) spaces.push(space)
        }
        return { database: about, team, spaces }
      }),
    )
  } catch (error) {
    return toFailure(error, formatAddress(url))
  } finally {
    await database.close()
  }
}

const isMade = async ({ row }: Connection, table: string): Promise<boolean> =>
  (await row('SELECT to_regclass($1) IS NOT NULL AS made', [`${TEAM_SCHEMA}.${table}`]))?.made === true

const spacesIn = async ({ rows }: Connection): Promise<readonly string[]> =>
  (await rows('SELECT name FROM spaces ORDER BY name')).map(({ name }) => String(name))

async function inspectTeam(connection: Connection): Promise<TeamLook | null> {
  const { row, rows } = connection
  if (!(await isMade(connection, 'tokens'))) return null
  const now = Date.now()
  const about = await row(
    `SELECT (SELECT max(version) FROM schema_versions) AS version, (SELECT count(DISTINCT id) FROM users JOIN members ON user_id = id WHERE NOT disabled) AS people,
       (SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1::bigint)) AS tokens`,
    [now],
  )
  const expiring = await rows(
    `SELECT label, space, hint, expires_at, last_used > $1::bigint - ${7 * DAY_MS} AS used FROM tokens
     WHERE revoked_at IS NULL AND expires_at > $1::bigint - ${DAY_MS} AND expires_at < $1::bigint + ${SOON_DAYS * DAY_MS} ORDER BY expires_at LIMIT 100`,
    [now],
  )
  const machines = await rows(
    // A team database that no hub has upgraded yet lacks this column.
    `SELECT label, space, hint, last_used, to_jsonb(tokens) ->> 'host' AS host FROM tokens
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1::bigint)
       AND (scope = 'ingest' OR (scope = 'full' AND user_id IS NULL AND role <> 'viewer'))
     ORDER BY last_used DESC NULLS LAST, created_at LIMIT 1000`,
    [now],
  )
  return {
    version: Number(about?.version),
    known: teamMigrations.length,
    people: Number(about?.people),
    tokens: Number(about?.tokens),
    hubs: (await isMade(connection, 'hubs')) ? await hubsIn(connection) : [],
    expiring: expiring.map(({ label, space, hint, expires_at, used }) => ({
      label: String(label),
      space: String(space),
      hint: String(hint),
      days: Math.floor((Number(expires_at) - now) / DAY_MS),
      used: used === true,
    })),
    machines: machines.map(({ label, space, hint, last_used, host }) => ({
      label: String(label),
      space: String(space),
      hint: String(hint),
      last_used: last_used === null ? null : Number(last_used),
      host: host === null ? null : String(host),
    })),
  }
}

const HOUR_MS = 3_600_000
/** This many of the newest events are examined to list computers. */
const NEWEST = 20_000

/**
 * The query contains the schema's name because many schemas are inspected. Names of spaces contain no
 * character that could end a quoted name.
 */
async function inspectSpace({ row, rows }: Connection, name: string): Promise<SpaceLook | null> {
  const schema = spaceSchema(name)
  const made = await row('SELECT to_regclass($1) IS NOT NULL AS made', [`${schema}.head`])
  if (made?.made !== true) return null
  const head = await row(
    `SELECT last, base, (SELECT count(*) FROM ${schema}.events WHERE ts < 0 AND seq > base) AS forgotten, (SELECT max(version) FROM ${schema}.schema_versions) AS version,
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
    [STORE_JOBS, LOCKS.lead, schema],
  )
  // The body is read as text, because PostgreSQL cannot parse every stored body as JSON.
  const hosts = await rows(
    `SELECT substring(body FROM '"host":"([^"\\\\]+)"') AS host, max(ts) AS last, count(*) AS events FROM ${schema}.events
     WHERE seq > $1 AND ts >= 0 GROUP BY 1 ORDER BY 2 DESC LIMIT 100`,
    [Math.max(base, last - NEWEST)],
  )
  return {
    name,
    version: Number(head?.version),
    known: migrations.length,
    events: last - base - Number(head?.forgotten),
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

const SETTINGS: readonly Setting[] = [
  'synchronous_commit',
  'max_wal_size',
  'shared_buffers',
  'fsync',
  'full_page_writes',
  'archive_mode',
  'synchronous_standby_names',
  'max_connections',
]

const ROUND_TRIPS = 15

async function inspectDatabase(connection: Connection, connectMs: number): Promise<DatabaseLook> {
  const { row, rows } = connection
  const trips = await measureRoundTrips(connection)
  const about = await row(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
       current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS recovering,
       pg_database_size(current_database()) AS bytes,
       coalesce(inet_server_addr() << '127.0.0.0/8' OR inet_server_addr() = '::1' OR inet_server_addr() = inet_client_addr(), true)
         OR EXISTS (SELECT FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS private,
       pg_size_bytes(current_setting('max_wal_size')) AS wal, pg_size_bytes(current_setting('shared_buffers')) AS buffers`,
  )
  const used = await row(
    `SELECT count(*) AS used, count(*) FILTER (WHERE application_name LIKE 'panoptes%') AS own,
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS most
     FROM pg_stat_activity WHERE backend_type = 'client backend'`,
  )
  const settings = await rows('SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name', [
    SETTINGS,
  ])
  const standbys = await rows(
    `SELECT application_name AS name, state, sync_state AS sync, extract(epoch FROM replay_lag) * 1000 AS lag
     FROM pg_stat_replication ORDER BY application_name`,
  )
  const oldest = await row(
    `SELECT pid, application_name AS program, extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS ms
     FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()
       AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`,
  )
  const leftovers = await rows(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'moving\\_space\\_%'`)
  return {
    connect_ms: connectMs,
    ...trips,
    version: String(about?.version),
    version_number: Number(about?.number),
    encoding: String(about?.encoding),
    in_recovery: about?.recovering === true,
    bytes: Number(about?.bytes),
    private: about?.private === true,
    connections: { used: Number(used?.used), own: Number(used?.own), most: Number(used?.most) },
    settings: Object.fromEntries(
      settings.map(({ name, value }) => [String(name), String(value)]),
    ) as DatabaseLook['settings'],
    wal_bytes: Number(about?.wal),
    shared_buffers_bytes: Number(about?.buffers),
    standbys: standbys.map(({ name, state, sync, lag }) => ({
      name: String(name),
      state: state === null ? null : String(state),
      sync: sync === null ? null : String(sync),
      lag_ms: lag === null ? null : Number(lag),
    })),
    oldest:
      oldest === undefined
        ? null
        : { ms: Number(oldest.ms), pid: Number(oldest.pid), program: String(oldest.program) },
    leftovers: leftovers.map(({ nspname }) => String(nspname).slice('moving_space_'.length)),
  }
}

/** The clock is read in the fastest round trip. */
async function measureRoundTrips({ row }: Connection) {
  const took: { readonly ms: number; readonly ahead: number }[] = []
  for (let n = 0; n < ROUND_TRIPS; n += 1) {
    const began = performance.now()
    const before = Date.now()
    const found = await row('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    const ms = performance.now() - began
    took.push({ ms, ahead: Number(found?.now) - (before + ms / 2) })
  }
  took.sort((a, b) => a.ms - b.ms)
  return {
    round_trip_ms: took[Math.floor(ROUND_TRIPS / 2)]?.ms ?? 0,
    worst_round_trip_ms: took.at(-1)?.ms ?? 0,
    clock_ahead_ms: Math.round(took[0]?.ahead ?? 0),
  }
}
