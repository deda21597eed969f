/** Milliseconds on the database's clock, which all hubs share. */
export const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Migrations only add what running hubs can live with. A released one never changes. */
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
  // These columns name the computer that last sent data with a token, as it reports itself.
  'ALTER TABLE tokens ADD COLUMN host text, ADD COLUMN host_seen bigint',
  // This table holds settings for all hubs, by name.
  'CREATE TABLE settings (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
  // This table records which token uploads the sessions of a home folder on a computer.
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
  // Each space knows only a person's activity within it. For people who are already in several spaces, the
  // existing times cannot be attributed.
  `ALTER TABLE members ADD COLUMN since bigint DEFAULT ${NOW}, ADD COLUMN last_seen bigint;
  UPDATE members m SET since = u.created_at, last_seen = u.last_seen FROM users u
    WHERE u.id = m.user_id AND NOT EXISTS (SELECT FROM members o WHERE o.user_id = m.user_id AND o.space <> m.space)`,
]
