import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { TEAM_SCHEMA } from '../open-store.ts'
import { type Connection, type Database, openDatabase } from '../postgres/database.ts'
import { formatAddress, toFailure } from '../postgres/failures.ts'
import { LOCKS } from '../postgres/locks.ts'
import type { Hub, Hubs, SeenHub } from './port.ts'

const RETENTION = "interval '1 day'"
const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)'

const TABLE = `CREATE TABLE IF NOT EXISTS hubs (
  id text PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  address text NOT NULL,
  bus boolean NOT NULL,
  spaces text[] NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL
)`

export async function openHubs(url: string): Promise<Result<Hubs>> {
  const database = openDatabase(url, TEAM_SCHEMA, { max: 1 })
  const where = formatAddress(url)
  const ask = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
    try {
      return success(await work())
    } catch (error) {
      return toFailure(error, where)
    }
  }
  const made = await ask(() => makeTable(database))
  if (!made.ok) {
    await database.close()
    return made
  }
  return success({
    beat: (hub) => ask(() => beat(database, hub)),
    leave: (id) =>
      ask(async () => {
        await database.run('DELETE FROM hubs WHERE id = $1', [id])
        return null
      }),
    list: () => ask(() => hubsIn(database)),
    close: () => database.close(),
  })
}

/** Hubs that start at the same time wait for the first one to create the table. */
const makeTable = (database: Database): Promise<null> =>
  database.transaction(async ({ run }) => {
    await run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.migrate, `${TEAM_SCHEMA}/hubs`])
    await run(`CREATE SCHEMA IF NOT EXISTS ${TEAM_SCHEMA}`)
    await run(TABLE)
    return null
  })

async function beat({ run }: Database, hub: Hub): Promise<null> {
  const { id, host, pid, version, address, bus, spaces } = hub
  await run(
    `INSERT INTO hubs (id, host, pid, version, address, bus, spaces, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET address = excluded.address, bus = excluded.bus, spaces = excluded.spaces, seen_at = excluded.seen_at`,
    [id, host, pid, version, address, bus, spaces],
  )
  await run(`DELETE FROM hubs WHERE seen_at < clock_timestamp() - ${RETENTION}`)
  return null
}

export async function hubsIn({ rows }: Pick<Connection, 'rows'>): Promise<readonly SeenHub[]> {
  const found = await rows(
    `SELECT id, host, pid, version, address, bus, spaces, floor(extract(epoch FROM started_at) * 1000) AS started,
       ${NOW} - floor(extract(epoch FROM seen_at) * 1000) AS ago
     FROM hubs WHERE seen_at > clock_timestamp() - ${RETENTION} ORDER BY started_at DESC, id`,
  )
  return found.map((row) => ({
    id: String(row.id),
    host: String(row.host),
    pid: Number(row.pid),
    version: String(row.version),
    address: String(row.address),
    bus: row.bus === true,
    spaces: row.spaces as string[],
    started_at: Number(row.started),
    seen_ms_ago: Math.max(0, Number(row.ago)),
  }))
}
