/**
 * Raise this when the tables or their contents change: an index of an older version is deleted and read again
 * from the sources.
 */
export const POSTGRES_INDEX_VERSION = 4

/**
 * The table names begin with `index_`, which backups leave out because the index can be rebuilt. No B-tree
 * contains text from outside, because its entries are limited in length. The words of a message are in one
 * segment of its part, which stores the messages that contain each word and the positions.
 */
export const indexTables = `
  CREATE TABLE index_about (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL,
    -- Counts what was written, so that nobody goes on with what they remember when another one has.
    turn bigint NOT NULL DEFAULT 0,
    -- The last number that a session was given: none is given twice.
    last bigint NOT NULL DEFAULT 0);
  INSERT INTO index_about (version) VALUES (${POSTGRES_INDEX_VERSION});
  CREATE TABLE index_sessions (
    number bigint PRIMARY KEY,
    source text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    place text NOT NULL,
    part integer NOT NULL,
    -- Messages that words are kept of.
    worded integer NOT NULL,
    fingerprint text,
    project text COLLATE "C",
    last_at bigint,
    messages integer NOT NULL DEFAULT 0,
    tool_calls integer NOT NULL DEFAULT 0,
    errors integer NOT NULL DEFAULT 0,
    cost_micro_usd double precision NOT NULL DEFAULT 0,
    spent double precision[],
    doc text
  );
  CREATE INDEX index_sessions_id ON index_sessions USING hash (id);
  CREATE INDEX index_sessions_part ON index_sessions (part);
  CREATE INDEX index_sessions_last ON index_sessions (last_at DESC NULLS LAST, number DESC) WHERE fingerprint IS NOT NULL;
  CREATE TABLE index_agents (session bigint NOT NULL, id text COLLATE "C" NOT NULL, doc text NOT NULL,
    messages integer NOT NULL, spent text);
  CREATE INDEX index_agents_session ON index_agents (session);
  CREATE TABLE index_tools (session bigint NOT NULL, tool text COLLATE "C" NOT NULL, calls integer NOT NULL, errors integer NOT NULL);
  CREATE INDEX index_tools_session ON index_tools (session);
  CREATE TABLE index_models (session bigint NOT NULL, model text COLLATE "C" NOT NULL, messages integer NOT NULL,
    tool_calls integer NOT NULL, errors integer NOT NULL, spent double precision[] NOT NULL);
  CREATE INDEX index_models_session ON index_models (session);
  CREATE TABLE index_messages (session bigint NOT NULL, first integer NOT NULL, roles text NOT NULL, doc text NOT NULL,
    PRIMARY KEY (session, first));
  CREATE TABLE index_prices (model text COLLATE "C" NOT NULL, mark text NOT NULL);
  CREATE TABLE index_aged (source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, fingerprint text NOT NULL,
    last_at bigint NOT NULL);
  CREATE INDEX index_aged_id ON index_aged USING hash (id);
  CREATE TABLE index_folds (fold text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    version text NOT NULL, listed text NOT NULL, doc bytea NOT NULL);
  CREATE TABLE index_fold_rules (fold text COLLATE "C" PRIMARY KEY, rules text NOT NULL);
  CREATE INDEX index_folds_id ON index_folds USING hash (id);
  CREATE INDEX index_folds_source ON index_folds (fold, source);
  CREATE TABLE index_parts (
    number integer PRIMARY KEY,
    newest bigint NOT NULL,
    rising integer NOT NULL,
    torn boolean NOT NULL,
    -- Messages that words are kept of.
    messages bigint NOT NULL,
    -- All that were ever in it, as FTS5 counts them for its ranks.
    rows bigint NOT NULL,
    tokens bigint NOT NULL
  );
  CREATE TABLE index_segments (part integer NOT NULL, segment integer NOT NULL, tokens bigint NOT NULL, PRIMARY KEY (part, segment));
  CREATE TABLE index_words (
    part integer NOT NULL,
    segment integer NOT NULL,
    word text COLLATE "C" NOT NULL,
    -- How many messages have it in what was said.
    said integer NOT NULL,
    messages bytea NOT NULL,
    places bytea NOT NULL,
    PRIMARY KEY (part, word, segment)
  );
  ALTER TABLE index_words ALTER COLUMN messages SET STORAGE EXTERNAL, ALTER COLUMN places SET STORAGE EXTERNAL;
`

/** Finds all index tables by name, whatever their version. */
export const dropTables = `
  DO $$ DECLARE made name; BEGIN
    FOR made IN SELECT relname FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'index\\_%' AND relkind = 'r' LOOP
      EXECUTE format('DROP TABLE %I', made);
    END LOOP;
  END $$;
`
