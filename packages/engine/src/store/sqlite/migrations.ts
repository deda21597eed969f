import type { DatabaseSync } from 'node:sqlite'

/**
 * Marks the file as a Panoptes store ("Pnpt"), so that another program's database is never mistaken for one.
 */
export const APPLICATION_ID = 0x506e7074

const projectionTable = (name: string) => `
  CREATE TABLE ${name} (
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    grp TEXT NOT NULL,
    tag TEXT NOT NULL,
    ord INTEGER NOT NULL,
    ref TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (name, key)
  ) WITHOUT ROWID`

/** Keeps rows in the order they arrived, so that a new row changes few pages whatever its key. */
export const looseRows = (name: string) => `
  CREATE TABLE ${name} (
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    grp TEXT NOT NULL,
    tag TEXT NOT NULL,
    ord INTEGER NOT NULL,
    ref TEXT NOT NULL,
    doc TEXT NOT NULL
  )`

/**
 * Returns the tables for the agents at a seq, for the sessions that no checkpoint contained then, and for
 * events that arrived later than their timestamp.
 */
export const checkpointTables = (suffix = '') => `
  CREATE TABLE checkpoints${suffix} (seq INTEGER PRIMARY KEY, ts INTEGER NOT NULL, clock INTEGER NOT NULL, rows BLOB NOT NULL);
  CREATE INDEX checkpoints${suffix}_time ON checkpoints${suffix} (seq, ts, clock);
  CREATE TABLE parked${suffix} (grp TEXT NOT NULL, seq INTEGER NOT NULL, rows BLOB NOT NULL);
  CREATE UNIQUE INDEX parked${suffix}_group ON parked${suffix} (grp, seq);
  CREATE INDEX parked${suffix}_seq ON parked${suffix} (seq);
  CREATE TABLE late${suffix} (seq INTEGER PRIMARY KEY, ts INTEGER NOT NULL);`

/** The body of a forgotten event. Its `ts` is negative, so that no search finds it. */
export const FORGOTTEN = ''

/** Counts the forgotten events. Every other seq of the log is an event, and the index of `ts` makes this fast. */
export const FORGOTTEN_ROWS = 'SELECT count(*) FROM events WHERE ts < 0'

/**
 * Returns the tables for the rows of one kind, with an account's rows next to each other, and for their
 * counts by day and kind: for any source or project (0) and for each one, at any time (day -1) and on each
 * day.
 */
const accountRows = (name: string, kinds: readonly string[]) => `
  CREATE TABLE account_${name} (
    id INTEGER PRIMARY KEY,
    at INTEGER,
    ${['source', 'project', ...kinds].map((kind) => `${kind} INTEGER NOT NULL,`).join(' ')}
    doc TEXT NOT NULL
  );
  CREATE INDEX account_${name}_at ON account_${name} (${['at', 'source', 'project', ...kinds].join(', ')});
  CREATE TABLE account_${name}_sums (
    ${['source', 'project', 'day', ...kinds].map((kind) => `${kind} INTEGER NOT NULL,`).join(' ')}
    n INTEGER NOT NULL,
    PRIMARY KEY (${['source', 'project', 'day', ...kinds].join(', ')})
  ) WITHOUT ROWID;`

const SPENT = `replies INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL, cost_micro_usd INTEGER NOT NULL, usage_unknown INTEGER NOT NULL,
    cost_unknown INTEGER NOT NULL, saved_micro_usd INTEGER NOT NULL`

/**
 * Only append to this list: a released migration never changes. The version of a store is the number of
 * migrations it has seen.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    ts INTEGER NOT NULL,
    event TEXT NOT NULL,
    source TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_id TEXT,
    failed INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX events_key ON events (key);
  CREATE INDEX events_session ON events (session_id);
  CREATE INDEX events_agent ON events (agent_id) WHERE agent_id IS NOT NULL AND agent_id <> 'main';
  CREATE INDEX events_ts ON events (ts);
  ${projectionTable('projection_rows')};
  CREATE INDEX projection_rows_group ON projection_rows (name, grp);
  CREATE INDEX projection_rows_tag ON projection_rows (name, tag, ord);
  CREATE INDEX projection_rows_ref ON projection_rows (name, ref);
  ${projectionTable('projection_base')};
  CREATE INDEX projection_base_group ON projection_base (name, grp);
  CREATE TABLE projection_versions (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
  INSERT INTO meta VALUES ('base_seq', 0);
  `,
  `
  ${looseRows('projection_rows_2')};
  INSERT INTO projection_rows_2 SELECT name, key, grp, tag, ord, ref, doc FROM projection_rows;
  DROP TABLE projection_rows;
  ALTER TABLE projection_rows_2 RENAME TO projection_rows;
  CREATE UNIQUE INDEX projection_rows_key ON projection_rows (name, key);
  CREATE INDEX projection_rows_alive ON projection_rows (name, grp) WHERE tag = 'alive';
  CREATE INDEX projection_rows_tag ON projection_rows (name, tag, ord);
  CREATE INDEX projection_rows_ref ON projection_rows (name, ref);
  DROP INDEX projection_base_group;
  ${looseRows('projection_base_2')};
  INSERT INTO projection_base_2 SELECT name, key, grp, tag, ord, ref, doc FROM projection_base;
  DROP TABLE projection_base;
  ALTER TABLE projection_base_2 RENAME TO projection_base;
  CREATE UNIQUE INDEX projection_base_key ON projection_base (name, key);
  CREATE INDEX projection_base_alive ON projection_base (name, grp) WHERE tag = 'alive';
  `,
  `
  CREATE TABLE checkpoints (seq INTEGER PRIMARY KEY, ts INTEGER NOT NULL, rows BLOB NOT NULL);
  CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  DROP INDEX events_ts;
  CREATE INDEX events_ts ON events (ts, failed);
  CREATE INDEX events_told ON events (ts) WHERE event IN ('agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost');
  `,
  `
  DROP TABLE checkpoints;
  ${checkpointTables()}
  CREATE INDEX projection_base_tag ON projection_base (name, tag, ord);
  DELETE FROM projection_versions WHERE name = 'agents';
  `,
  `
  UPDATE events SET failed = 1 WHERE event = 'agent_done' AND failed = 0 AND json_extract(body, '$.error') <> '';
  UPDATE events SET failed = 1 WHERE event = 'agent_link' AND json_extract(body, '$.status') = 'failed';
  CREATE INDEX events_failed ON events (ts) WHERE failed = 1;
  `,
  `
  CREATE TABLE session_marks (source TEXT NOT NULL, id TEXT NOT NULL, tags TEXT NOT NULL, note TEXT, PRIMARY KEY (source, id)) WITHOUT ROWID;
  CREATE TABLE saved_filters (name TEXT PRIMARY KEY, query TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE forgotten (hash TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE forgetting (source TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (source, id)) WITHOUT ROWID;
  INSERT INTO meta VALUES ('forget_key', randomblob(32));
  `,
  `
  CREATE TABLE contributions (scope TEXT NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL, fingerprint TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (scope, id)) WITHOUT ROWID;
  CREATE TABLE unlocks (view TEXT NOT NULL, id TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (view, id)) WITHOUT ROWID;
  `,
  `
  CREATE TABLE injections (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    ts INTEGER NOT NULL,
    template TEXT NOT NULL,
    place TEXT NOT NULL,
    made_at REAL NOT NULL,
    task_type TEXT NOT NULL,
    target TEXT NOT NULL,
    arm TEXT NOT NULL,
    drawn INTEGER NOT NULL,
    source TEXT,
    session_id TEXT,
    project TEXT
  );
  CREATE INDEX injections_session ON injections (source, session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX injections_template ON injections (template);
  CREATE TABLE template_notes (name TEXT NOT NULL, made_at REAL NOT NULL, source TEXT, session_id TEXT, doc TEXT NOT NULL, PRIMARY KEY (name, made_at)) WITHOUT ROWID;
  `,
  `
  CREATE TABLE accounts (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    session_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    made_of TEXT NOT NULL,
    day TEXT,
    doc TEXT NOT NULL,
    UNIQUE (source, session_id)
  );
  CREATE INDEX accounts_session ON accounts (session_id);
  CREATE TABLE account_names (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
  ${accountRows('agents', ['type', 'model', 'outcome', 'flagged', 'finished'])}
  CREATE INDEX account_agents_id ON account_agents (doc ->> '$.agent_id') WHERE doc ->> '$.agent_id' <> 'main';
  ${accountRows('claims', ['model', 'tier', 'verdict', 'measured'])}
  ${accountRows('followups', [])}
  ${accountRows('uses', ['skill', 'success', 'class'])}
  CREATE INDEX account_uses_skill ON account_uses (skill, at);
  CREATE TABLE account_skills (source INTEGER NOT NULL, project INTEGER NOT NULL, skill INTEGER NOT NULL, last_used INTEGER NOT NULL, PRIMARY KEY (source, project, skill)) WITHOUT ROWID;
  CREATE TABLE account_cost_sums (
    kind TEXT NOT NULL,
    source INTEGER NOT NULL,
    project INTEGER NOT NULL,
    day TEXT NOT NULL,
    model INTEGER NOT NULL,
    name INTEGER NOT NULL,
    prev TEXT NOT NULL,
    present INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    ${SPENT},
    PRIMARY KEY (kind, source, project, day, model, name, prev)
  ) WITHOUT ROWID;
  CREATE TABLE account_costs (
    model INTEGER NOT NULL,
    day TEXT NOT NULL,
    account INTEGER NOT NULL,
    source INTEGER NOT NULL,
    project INTEGER NOT NULL,
    ${SPENT},
    PRIMARY KEY (model, day, account)
  ) WITHOUT ROWID;
  CREATE INDEX account_costs_account ON account_costs (account);
  CREATE INDEX account_costs_most ON account_costs (model, cost_micro_usd) WHERE day = '';
  CREATE INDEX account_costs_source ON account_costs (model, source, cost_micro_usd) WHERE day = '';
  CREATE INDEX account_costs_project ON account_costs (model, project, cost_micro_usd) WHERE day = '';
  CREATE TABLE account_journal (source TEXT NOT NULL, session_id TEXT NOT NULL, journal TEXT NOT NULL, line TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (source, session_id, journal, line)) WITHOUT ROWID;
  `,
  `
  CREATE TABLE turns (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, ts INTEGER NOT NULL, preset TEXT NOT NULL, session_id TEXT NOT NULL, doc TEXT NOT NULL);
  CREATE INDEX turns_ts ON turns (ts);
  CREATE INDEX turns_preset ON turns (preset, ts);
  CREATE INDEX turns_session ON turns (session_id, ts);
  `,
  `
  CREATE TABLE conversations (id TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, run_id TEXT, state_revision INTEGER NOT NULL, doc TEXT NOT NULL, state TEXT NOT NULL, epoch TEXT) WITHOUT ROWID;
  CREATE INDEX conversations_updated ON conversations (updated_at);
  CREATE TABLE chat_messages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL, ts INTEGER NOT NULL, doc TEXT NOT NULL, sent TEXT, preamble TEXT, files TEXT);
  CREATE INDEX chat_messages_conversation ON chat_messages (conversation, number);
  CREATE TABLE chat_replaced (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL, at INTEGER NOT NULL, doc TEXT NOT NULL);
  CREATE INDEX chat_replaced_conversation ON chat_replaced (conversation, at);
  CREATE TABLE chat_runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL, conversation TEXT NOT NULL, events TEXT NOT NULL);
  CREATE INDEX chat_runs_id ON chat_runs (id, number);
  CREATE INDEX chat_runs_conversation ON chat_runs (conversation);
  CREATE TABLE facts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, ts INTEGER NOT NULL, text TEXT NOT NULL);
  `,
  'ALTER TABLE facts ADD COLUMN owner TEXT;',
]

export const SCHEMA_VERSION = migrations.length

export const readVersion = (db: DatabaseSync): number => readNumber(db, 'PRAGMA user_version')
export const readApplicationId = (db: DatabaseSync): number => readNumber(db, 'PRAGMA application_id')

/**
 * Upgrades the file to a version in one transaction per step, so that a crash leaves a complete older
 * version.
 */
export function migrate(db: DatabaseSync, to: number = SCHEMA_VERSION): void {
  for (let version = readVersion(db); version < to; version += 1) {
    db.exec('BEGIN IMMEDIATE')
    db.exec(migrations[version] ?? '')
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    db.exec(`PRAGMA user_version = ${version + 1}`)
    db.exec('COMMIT')
  }
}

/** Reads the first column of the first row as a number, or 0 without rows. */
export function readNumber(db: DatabaseSync, sql: string): number {
  const row = db.prepare(sql).get()
  return row === undefined ? 0 : Number(Object.values(row)[0] ?? 0)
}
