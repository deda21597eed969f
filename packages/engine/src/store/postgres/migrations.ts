import { randomBytes } from 'node:crypto'
import { Refused } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import { transcriptCopies, transcriptGrowth, transcriptTables } from '../transcripts/tables.ts'
import { accountTables } from './accounts/tables.ts'
import { besideTables } from './auxiliary-tables.ts'
import { conversationHubs } from './conversations/hubs.ts'
import { remoteCommandTable } from './conversations/remote-commands.ts'
import { conversationOwners, conversationTables } from './conversations/tables.ts'
import type { Connection, Database } from './database.ts'
import { withMigrationLock } from './migrate-lock.ts'
import { templateTexts } from './shared-texts.ts'
import { traceTables } from './traces.ts'

/** A partition holds this many events. Retention drops whole partitions. */
const PARTITION = 250_000

export const projectionTable = (name: string): string => `
  CREATE TABLE ${name} (
    name text NOT NULL,
    key text COLLATE "C" NOT NULL,
    grp text COLLATE "C" NOT NULL,
    tag text NOT NULL,
    ord bigint NOT NULL,
    ref text COLLATE "C" NOT NULL,
    doc text NOT NULL,
    PRIMARY KEY (name, key)
  ) WITH (fillfactor = 70);
  CREATE INDEX ${name}_group ON ${name} (grp, key) WHERE name = 'agents';
  CREATE INDEX ${name}_tag ON ${name} (name, tag, ord);
  CREATE INDEX ${name}_ref ON ${name} (name, ref);`

/**
 * Returns the tables for the agents at a seq, for the sessions that no checkpoint contained then, and for
 * events that arrived later than their timestamp.
 */
export const checkpointTables = (suffix = ''): string => `
  CREATE TABLE checkpoints${suffix} (seq bigint PRIMARY KEY, ts bigint NOT NULL, clock bigint NOT NULL, rows bytea NOT NULL);
  CREATE TABLE parked${suffix} (grp text COLLATE "C" NOT NULL, seq bigint NOT NULL, rows bytea NOT NULL, PRIMARY KEY (grp, seq));
  CREATE INDEX parked${suffix}_seq ON parked${suffix} (seq);
  CREATE TABLE late${suffix} (seq bigint PRIMARY KEY, ts bigint NOT NULL);`

/**
 * Migrations may only make changes that running older programs can live with, because those go on reading and
 * writing while a newer one starts. A released migration never changes.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    last bigint NOT NULL DEFAULT 0,
    base bigint NOT NULL DEFAULT 0,
    -- Counts what changes rows other than by an append, so that nobody goes on with what they remember.
    turn bigint NOT NULL DEFAULT 0,
    -- Events of a partition.
    span bigint NOT NULL,
    forget_key bytea NOT NULL
  );
  CREATE TABLE event_keys (key text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL);
  CREATE INDEX event_keys_seq ON event_keys USING brin (seq) WITH (pages_per_range = 16);
  CREATE TABLE events (
    seq bigint NOT NULL,
    ts bigint NOT NULL,
    event text NOT NULL,
    source text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C",
    failed boolean NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (seq)
  ) PARTITION BY RANGE (seq);
  CREATE INDEX events_session ON events (session_id, seq);
  CREATE INDEX events_agent ON events (agent_id, seq) WHERE agent_id IS NOT NULL AND agent_id <> 'main';
  CREATE INDEX events_ts ON events (ts);
  CREATE INDEX events_failed ON events (ts) WHERE failed;
  CREATE INDEX events_told ON events (ts)
    WHERE event IN ('agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost');
  ${projectionTable('projection_rows')}
  ${projectionTable('projection_base')}
  CREATE VIEW log AS SELECT * FROM events WHERE seq > (SELECT base FROM head) AND ts >= 0;
  ${checkpointTables()}
  CREATE TABLE projection_versions (name text PRIMARY KEY, version integer NOT NULL);
  CREATE TABLE marks (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
  CREATE TABLE forgotten (hash text PRIMARY KEY);
  CREATE TABLE forgetting (source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, PRIMARY KEY (source, id));
  `,
  accountTables,
  besideTables,
  conversationTables,
  conversationOwners,
  transcriptTables,
  conversationHubs,
  remoteCommandTable,
  transcriptGrowth,
  traceTables,
  templateTexts,
  transcriptCopies,
]

/**
 * Creates the schema or upgrades it. A schema of a newer program is used as it is, because additions break
 * nobody.
 */
export async function migrate(
  database: Database,
  options: {
    readonly list?: readonly string[] | undefined
    readonly to?: number | undefined
    readonly span?: number | undefined
  } = {},
): Promise<number> {
  const { list = migrations, to = list.length, span = PARTITION } = options
  const wanted = list.slice(0, to)
  return withMigrationLock(database, (connection) =>
    applyMigrations(connection, database.schema, wanted, span),
  )
}

async function applyMigrations(
  connection: Connection,
  schema: string,
  list: readonly string[],
  span: number,
): Promise<number> {
  const encoding = await connection.row('SHOW server_encoding')
  if (encoding?.server_encoding !== 'UTF8')
    throw new Refused(
      failure('invalid', 'The database must use UTF8. Create one with: createdb --encoding UTF8.'),
    )
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await connection.run('CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY)')
  const found = await connection.row('SELECT max(version) AS version FROM schema_versions')
  let version = Number(found?.version ?? 0)
  while (version < list.length) {
    await connection.run('BEGIN')
    try {
      await connection.run(list[version] ?? '')
      version += 1
      if (version === 1)
        await connection.run('INSERT INTO head (span, forget_key) VALUES ($1, $2)', [span, randomBytes(32)])
      await connection.run('INSERT INTO schema_versions VALUES ($1)', [version])
      await connection.run('COMMIT')
    } catch (error) {
      await connection.run('ROLLBACK')
      throw error
    }
  }
  return version
}
