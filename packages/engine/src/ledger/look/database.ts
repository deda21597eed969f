import type { Connection } from '../postgres/database.ts'
import type { DatabaseLook, Setting } from './port.ts'

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

const ASKED = 15

export async function lookAtDatabase(connection: Connection, connectMs: number): Promise<DatabaseLook> {
  const { row, rows } = connection
  const trips = await roundTrips(connection)
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

/** The clock is read where the way there and back was shortest. */
async function roundTrips({ row }: Connection) {
  const took: { readonly ms: number; readonly ahead: number }[] = []
  for (let n = 0; n < ASKED; n += 1) {
    const began = performance.now()
    const before = Date.now()
    const found = await row('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    const ms = performance.now() - began
    took.push({ ms, ahead: Number(found?.now) - (before + ms / 2) })
  }
  took.sort((a, b) => a.ms - b.ms)
  return {
    round_trip_ms: took[Math.floor(ASKED / 2)]?.ms ?? 0,
    worst_round_trip_ms: took.at(-1)?.ms ?? 0,
    clock_ahead_ms: Math.round(took[0]?.ahead ?? 0),
  }
}
