/**
 * Raise this when the tables or their contents change: an index of another version is deleted and read again
 * from the sources.
 */
export const INDEX_VERSION = 13

/**
 * The number of a message combines its session's number and its position there, so that neither needs another
 * index.
 */
export const MOST_MESSAGES = 2 ** 24

export const tables = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    place TEXT NOT NULL,
    part INTEGER NOT NULL,
    fingerprint TEXT,
    project TEXT,
    model TEXT,
    last_at INTEGER,
    messages INTEGER NOT NULL DEFAULT 0,
    tool_calls INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    cost_micro_usd INTEGER NOT NULL DEFAULT 0,
    doc TEXT
  );
  CREATE UNIQUE INDEX sessions_known ON sessions (source, id) WHERE fingerprint IS NOT NULL;
  CREATE UNIQUE INDEX sessions_begun ON sessions (source, id) WHERE fingerprint IS NULL;
  CREATE INDEX sessions_last ON sessions (last_at DESC) WHERE fingerprint IS NOT NULL;
  CREATE INDEX sessions_id ON sessions (id);
  CREATE TABLE agents (
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    doc TEXT NOT NULL,
    messages INTEGER NOT NULL DEFAULT 0,
    spent TEXT,
    PRIMARY KEY (session, id)
  ) WITHOUT ROWID;
  CREATE TABLE messages (number INTEGER PRIMARY KEY, doc TEXT NOT NULL);
  CREATE TABLE tools (
    session INTEGER NOT NULL,
    tool TEXT NOT NULL,
    calls INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    PRIMARY KEY (session, tool)
  ) WITHOUT ROWID;
  CREATE TABLE models (
    session INTEGER NOT NULL,
    model TEXT NOT NULL,
    messages INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    spent TEXT NOT NULL,
    PRIMARY KEY (session, model)
  ) WITHOUT ROWID;
  CREATE TABLE prices (model TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE aged (source TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (source, id)) WITHOUT ROWID;
  CREATE TABLE folds (
    number INTEGER PRIMARY KEY,
    fold TEXT NOT NULL,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    listed TEXT NOT NULL,
    doc BLOB NOT NULL
  );
  CREATE UNIQUE INDEX folds_of ON folds (fold, source, id);
  CREATE TABLE fold_rules (fold TEXT PRIMARY KEY, rules TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE parts (number INTEGER PRIMARY KEY, newest INTEGER NOT NULL DEFAULT 0, rising INTEGER NOT NULL DEFAULT 0, torn INTEGER NOT NULL DEFAULT 0);
`

export const wordsOfPart = (part: number): string => `words_${part}`

/**
 * Returns the tables for the words of one part. Each transaction is written as one segment: no segments are
 * merged while very much is read.
 */
export const partTable = (part: number): string => `
  CREATE VIRTUAL TABLE ${wordsOfPart(part)} USING fts5 (text, tools, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2");
  INSERT INTO ${wordsOfPart(part)} (${wordsOfPart(part)}, rank) VALUES ('hashsize', 33554432);
`
