/**
 * Raise it when the tables or what is put into them change: an index of another version is thrown away and read again from the
 * sources.
 */
export const INDEX_VERSION = 3

/** A message's number is its session's and its place there in one: both are found without another index. */
export const MOST_MESSAGES = 2 ** 24

export const tables = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    place TEXT NOT NULL,
    fingerprint TEXT,
    project TEXT,
    model TEXT,
    last_at INTEGER,
    messages INTEGER NOT NULL DEFAULT 0,
    tool_calls INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    cost_micro_usd INTEGER NOT NULL DEFAULT 0,
    doc TEXT,
    UNIQUE (source, id)
  );
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
  CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    role TEXT NOT NULL,
    ts INTEGER,
    state TEXT NOT NULL
  );
  CREATE TABLE tools (session INTEGER NOT NULL, tool TEXT NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (session, tool)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5 (text, tools, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2");
  INSERT INTO words (words, rank) VALUES ('hashsize', 8388608);
  INSERT INTO words (words, rank) VALUES ('automerge', 8);
`
