import { hash } from 'node:crypto'

/**
 * Sessions of other computers. Names have a form that an index accepts; everything else is JSON, which can
 * represent any character. An upload is half until it ended, then it is complete, and it is over when another
 * one replaced it; a reader that has already started still reaches its end.
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
 * An upload that begins like a complete one continues in the rows of that one when it ends: `base` names it,
 * and `kept` is how many of its records stay. Until then `records` counts only the others, so that an older
 * hub treats it as an upload with missing lines. `cuts` counts how often rows were replaced, so that readers
 * notice.
 */
export const transcriptGrowth = `
  ALTER TABLE transcript_tellings
    ADD COLUMN base bigint,
    ADD COLUMN kept bigint NOT NULL DEFAULT 0,
    ADD COLUMN cuts bigint NOT NULL DEFAULT 0;`

/**
 * A session belongs to the computer that uploaded it. The first upload has its own id, the copy of another
 * computer has a name of its own, and `differs` tells whether it has messages that the first one lacks. In
 * earlier versions the last upload replaced all others, so these have to be uploaded again.
 */
export const transcriptCopies = `
  ALTER TABLE transcripts ADD COLUMN differs boolean NOT NULL DEFAULT true;
  CREATE INDEX transcripts_telling ON transcripts (telling);
  DELETE FROM transcripts_told AS told WHERE NOT EXISTS (
    SELECT FROM transcript_tellings AS k JOIN transcripts AS t ON t.telling = k.number
    WHERE k.source = told.source AND k.id = told.id AND k.host = told.host);`

/** For an upload `k`, selects the first computer's upload of the same session, if that is another one. */
export const firstTelling = `
  SELECT f.telling, f.head FROM transcripts AS f JOIN transcript_tellings AS n ON n.number = f.telling
  WHERE f.source = k.source AND f.id = k.id AND n.source = k.source AND n.id = k.id AND n.state = 'stands'
    AND n.number <> k.number`

/**
 * Returns the channel that announces changed sessions of a source. Two schemas with the same shortened name
 * merely wake each other.
 */
export const transcriptChannel = (schema: string): string => `${schema.slice(0, 50)}_transcripts`

const LONGEST = 400
const MARK = '\u001e'

/**
 * Returns a name that an index accepts: a very long one, or one with characters that PostgreSQL cannot store,
 * is replaced by its hash.
 */
export const toStoredName = (name: string): string =>
  name.length <= LONGEST && name.isWellFormed() && !name.includes('\0') && !name.startsWith(MARK)
    ? name
    : MARK + hash('sha256', JSON.stringify(name), 'base64url')
