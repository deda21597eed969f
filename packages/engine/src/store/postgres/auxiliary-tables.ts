import type { Result } from '@panoptes/schema'

/** Returns the result of the work, or the failure that it ran into. */
export type Ask = <T>(work: () => Promise<T>) => Promise<Result<T>>

/** The tables of annotations, achievements, template uses and turns. They are not part of the log. */
export const besideTables = `
  CREATE TABLE session_marks (source text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, tags text[] NOT NULL, note text, PRIMARY KEY (source, id));
  CREATE TABLE saved_filters (name text COLLATE "C" PRIMARY KEY, query text NOT NULL);
  CREATE TABLE contributions (
    scope text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    doc text NOT NULL,
    PRIMARY KEY (scope, id)
  );
  CREATE TABLE unlocks (view text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, doc text NOT NULL, PRIMARY KEY (view, id));
  CREATE TABLE achieved_notes (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE injections (
    number bigserial PRIMARY KEY,
    key text NOT NULL,
    ts bigint NOT NULL,
    template text NOT NULL,
    place text NOT NULL,
    made_at double precision NOT NULL,
    task_type text NOT NULL,
    target text NOT NULL,
    arm text NOT NULL,
    drawn boolean NOT NULL,
    source text,
    session_id text,
    project text
  );
  CREATE UNIQUE INDEX injections_key ON injections (md5(key));
  CREATE INDEX injections_session ON injections (session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX injections_template ON injections (template);
  CREATE TABLE template_notes (
    name text COLLATE "C" NOT NULL,
    made_at double precision NOT NULL,
    source text,
    session_id text,
    doc text NOT NULL,
    PRIMARY KEY (name, made_at)
  );
  CREATE TABLE turns (
    number bigserial PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    ts bigint NOT NULL,
    preset text NOT NULL,
    session_id text NOT NULL,
    doc text NOT NULL
  );
  CREATE INDEX turns_ts ON turns (ts, number);
  CREATE INDEX turns_preset ON turns (preset, ts);
  CREATE INDEX turns_session ON turns (session_id, ts);`

/** Collects the given conditions, with their values from $1 on. */
export function buildWhere(
  conditions: readonly (readonly [sql: (parameter: string) => string, value: string | number | undefined])[],
): { readonly sql: string; readonly values: readonly (string | number)[] } {
  const values: (string | number)[] = []
  const terms: string[] = []
  for (const [sql, value] of conditions) {
    if (value === undefined) continue
    values.push(value)
    terms.push(sql(`$${values.length}`))
  }
  return { sql: terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`, values }
}
