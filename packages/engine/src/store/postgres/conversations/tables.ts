/**
 * Conversations between people and runtimes, which are not part of the log. Everything except names is JSON,
 * which can represent any character.
 */
export const conversationTables = `
  CREATE TABLE conversations (
    id text COLLATE "C" PRIMARY KEY,
    updated_at bigint NOT NULL,
    run_id text COLLATE "C",
    state_revision bigint NOT NULL,
    doc text NOT NULL,
    state text NOT NULL,
    epoch text
  );
  CREATE INDEX conversations_updated ON conversations (updated_at DESC, id);
  CREATE INDEX conversations_running ON conversations (run_id) WHERE run_id IS NOT NULL;
  CREATE TABLE chat_messages (
    number bigserial PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    conversation text COLLATE "C" NOT NULL,
    doc text NOT NULL,
    sent text,
    preamble text,
    files text
  );
  CREATE INDEX chat_messages_conversation ON chat_messages (conversation, number);
  CREATE TABLE chat_replaced (
    number bigserial PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    conversation text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    doc text NOT NULL
  );
  CREATE INDEX chat_replaced_conversation ON chat_replaced (conversation, at);
  CREATE TABLE chat_runs (
    number bigserial PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    conversation text COLLATE "C" NOT NULL,
    events text NOT NULL
  );
  CREATE INDEX chat_runs_id ON chat_runs (id, number);
  CREATE INDEX chat_runs_conversation ON chat_runs (conversation);
  CREATE TABLE facts (number bigserial PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, doc text NOT NULL);`

/** The owner is a column of its own, so that a query never looks at other people's conversations. */
export const conversationOwners = `
  ALTER TABLE conversations ADD COLUMN owner text COLLATE "C", ADD COLUMN shared boolean NOT NULL DEFAULT false;
  ALTER TABLE facts ADD COLUMN owner text COLLATE "C";`
