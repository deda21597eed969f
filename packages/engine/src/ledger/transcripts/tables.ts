import { hash } from 'node:crypto'

/**
 * Sessions of other computers. Names are as an index can have them; all else is JSON, in which any character can stand. A telling is half
 * until it ended, stands then, and is over when another took its place: whoever reads it just then comes to its end.
 */
export const transcriptTables = `
  CREATE TABLE transcripts (
    source text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    telling bigint NOT NULL,
    last_at bigint NOT NULL,
    head text NOT NULL,
    session text NOT NULL,
    PRIMARY KEY (source, id)
  );
  CREATE INDEX transcripts_last ON transcripts (source, last_at DESC, id);
  CREATE TABLE transcript_tellings (
    number bigserial PRIMARY KEY,
    source text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    host text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('half', 'stands', 'over')),
    records bigint NOT NULL DEFAULT 0,
    changed_at bigint NOT NULL,
    head text NOT NULL
  );
  CREATE UNIQUE INDEX transcript_tellings_half ON transcript_tellings (source, id, host) WHERE state = 'half';
  CREATE INDEX transcript_tellings_session ON transcript_tellings (source, id);
  CREATE INDEX transcript_tellings_left ON transcript_tellings (changed_at) WHERE state <> 'stands';
  CREATE TABLE transcript_records (
    telling bigint NOT NULL,
    number bigint NOT NULL,
    message text COLLATE "C",
    size bigint NOT NULL,
    doc text NOT NULL,
    PRIMARY KEY (telling, number)
  );
  CREATE INDEX transcript_records_message ON transcript_records (telling, message) WHERE message IS NOT NULL;
  CREATE TABLE transcripts_told (
    source text COLLATE "C" NOT NULL,
    host text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    head text NOT NULL,
    PRIMARY KEY (source, host, id)
  );
  CREATE INDEX transcripts_told_session ON transcripts_told (source, id);
  CREATE FUNCTION conversations_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify(left(TG_TABLE_SCHEMA, 50) || '_transcripts', 'panoptes');
      RETURN NULL;
    END $$;
  CREATE TRIGGER conversations_changed AFTER INSERT OR UPDATE OR DELETE ON conversations
    FOR EACH STATEMENT EXECUTE FUNCTION conversations_changed();`

/**
 * A telling that begins as one that stands goes on in the rows of that one at its end: `base` is which, `kept` how many of its records stay. Until
 * then `records` counts the others alone, so that a hub that does not know of this takes it for one of which lines are missing. `cuts` counts how
 * often rows gave way to others: whoever reads them notices by it.
 */
export const transcriptGrowth = `
  ALTER TABLE transcript_tellings
    ADD COLUMN base bigint,
    ADD COLUMN kept bigint NOT NULL DEFAULT 0,
    ADD COLUMN cuts bigint NOT NULL DEFAULT 0;`

/** Where it is told that sessions of a source changed; two schemas with one such name only wake each other. */
export const channelOf = (schema: string): string => `${schema.slice(0, 50)}_transcripts`

const LONGEST = 400
const MARK = '\u001e'

/** A name as an index can have it: one that is very long, or has what PostgreSQL has not, by its hash. */
export const storedName = (name: string): string =>
  name.length <= LONGEST && name.isWellFormed() && !name.includes('\0') && !name.startsWith(MARK)
    ? name
    : MARK + hash('sha256', JSON.stringify(name), 'base64url')
