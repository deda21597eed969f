/** Milliseconds by the clock of the database, which all hubs share. */
export const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Only what hubs that still run can live with is ever added. A released one never changes. */
export const teamMigrations: readonly string[] = [
  `
  CREATE TABLE spaces (name text COLLATE "C" PRIMARY KEY, created_at bigint NOT NULL);
  INSERT INTO spaces VALUES ('main', ${NOW});
  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    email text NOT NULL,
    -- The address without regard to case.
    email_key text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    -- What their provider of sign-ins calls them.
    subject text COLLATE "C" UNIQUE,
    created_at bigint NOT NULL,
    last_seen bigint,
    disabled boolean NOT NULL DEFAULT false
  );
  CREATE TABLE members (
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    space text COLLATE "C" NOT NULL REFERENCES spaces,
    role text NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
    PRIMARY KEY (user_id, space)
  );
  CREATE INDEX members_space ON members (space, user_id);
  CREATE TABLE tokens (
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    hint text NOT NULL,
    label text NOT NULL,
    space text COLLATE "C" NOT NULL REFERENCES spaces,
    scope text NOT NULL CHECK (scope IN ('full', 'ingest', 'gateway')),
    role text NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
    user_id text COLLATE "C" REFERENCES users ON DELETE CASCADE,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used bigint
  );
  CREATE INDEX tokens_space ON tokens (space, created_at);
  CREATE INDEX tokens_user ON tokens (user_id);
  CREATE TABLE sign_ins (
    hash bytea PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    space text COLLATE "C" NOT NULL REFERENCES spaces,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
  CREATE INDEX sign_ins_user ON sign_ins (user_id);
  CREATE INDEX sign_ins_end ON sign_ins (expires_at);
  CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ts bigint NOT NULL,
    actor text,
    user_id text,
    token_id text,
    space text COLLATE "C",
    action text NOT NULL,
    target text,
    outcome text NOT NULL CHECK (outcome IN ('done', 'refused', 'failed')),
    address text
  );
  CREATE INDEX audit_space ON audit (space, id);
  CREATE INDEX audit_ts ON audit USING brin (ts);
  `,
  'CREATE TABLE keys (name text PRIMARY KEY, value text NOT NULL)',
  // The computer that last sent something with a token, as it calls itself.
  'ALTER TABLE tokens ADD COLUMN host text, ADD COLUMN host_seen bigint',
  // What was decided for all hubs, by name.
  'CREATE TABLE settings (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
  // With which token the sessions of a home on a computer come.
  `CREATE TABLE tellers (
    space text COLLATE "C" NOT NULL,
    teller text COLLATE "C" NOT NULL,
    token_id text COLLATE "C" NOT NULL REFERENCES tokens ON DELETE CASCADE,
    since bigint NOT NULL,
    PRIMARY KEY (space, teller)
  );
  CREATE INDEX tellers_token ON tellers (token_id)`,
  `ALTER TABLE tokens DROP CONSTRAINT tokens_scope_check,
    ADD CONSTRAINT tokens_scope_check CHECK (scope IN ('full', 'ingest', 'gateway', 'metrics'))`,
]
