import { SPENT } from '../../accounts/cost-facts.ts'
import { KINDS, ROW_KINDS, type RowKind } from '../../accounts/facts.ts'

/**
 * The column that a search of rows needs besides their kinds. The JSON text is never queried, because
 * PostgreSQL cannot parse every document.
 */
export const OWN_COLUMN: Readonly<Record<RowKind, string | undefined>> = {
  agents: 'agent_id',
  claims: undefined,
  followups: undefined,
  uses: 'ms',
}

const typeOfOwn = (kind: RowKind): string => (kind === 'agents' ? 'text COLLATE "C" NOT NULL' : 'bigint')

const integers = (columns: readonly string[]): string =>
  columns.map((column) => `${column} integer NOT NULL,`).join(' ')

/**
 * Returns the tables for the rows of one kind, with an account's rows next to each other, and for their
 * counts by day and kind: for any source or project (0) and for each one, at any time (day -1) and on each
 * day.
 */
const rowTables = (kind: RowKind): string => {
  const own = OWN_COLUMN[kind]
  const key = ['source', 'project', 'day', ...KINDS[kind]]
  return `
  CREATE TABLE account_${kind} (
    id bigint PRIMARY KEY,
    at bigint,
    ${integers(['source', 'project', ...KINDS[kind]])}
    ${own === undefined ? '' : `${own} ${typeOfOwn(kind)},`}
    doc text NOT NULL
  );
  CREATE INDEX account_${kind}_at ON account_${kind} (${['at', 'source', 'project', ...KINDS[kind]].join(', ')});
  CREATE TABLE account_${kind}_sums (
    ${integers(key)}
    n bigint NOT NULL,
    PRIMARY KEY (${key.join(', ')})
  ) WITH (fillfactor = 70);`
}

/** An index entry has a maximum length, so sessions are found by this many characters of their ids. */
export const INDEXED = 400
export const SESSION = `left(session_id, ${INDEXED})`

/**
 * Floating point keeps a sum from overflowing; whole numbers stay exact as far as they are anywhere in
 * JavaScript.
 */
const spent = SPENT.map((field) => `${field} double precision NOT NULL`).join(', ')

export const accountTables = `
  CREATE TABLE accounts (
    number bigint PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE,
    source text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    made_of text NOT NULL,
    day text COLLATE "C",
    doc text NOT NULL
  );
  CREATE INDEX accounts_source ON accounts (source);
  CREATE INDEX accounts_session ON accounts (${SESSION});
  CREATE TABLE account_names (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE,
    name text COLLATE "C" NOT NULL
  );
  ${ROW_KINDS.map(rowTables).join('')}
  CREATE INDEX account_agents_id ON account_agents (agent_id) WHERE agent_id <> 'main';
  CREATE INDEX account_uses_skill ON account_uses (skill, at, class);
  CREATE TABLE account_skills (
    ${integers(['source', 'project', 'skill'])}
    last_used bigint NOT NULL,
    PRIMARY KEY (source, project, skill)
  );
  CREATE TABLE account_cost_sums (
    kind text COLLATE "C" NOT NULL,
    source integer NOT NULL,
    project integer NOT NULL,
    day text COLLATE "C" NOT NULL,
    model integer NOT NULL,
    name integer NOT NULL,
    prev text COLLATE "C" NOT NULL,
    present bigint NOT NULL,
    sessions bigint NOT NULL,
    ${spent},
    PRIMARY KEY (kind, source, project, day, model, name, prev)
  ) WITH (fillfactor = 70);
  CREATE TABLE account_costs (
    model integer NOT NULL,
    day text COLLATE "C" NOT NULL,
    account bigint NOT NULL,
    source integer NOT NULL,
    project integer NOT NULL,
    ${spent},
    PRIMARY KEY (model, day, account)
  );
  CREATE INDEX account_costs_account ON account_costs (account);
  CREATE INDEX account_costs_most ON account_costs (model, cost_micro_usd, account) WHERE day = '';
  CREATE INDEX account_costs_source ON account_costs (model, source, cost_micro_usd, account) WHERE day = '';
  CREATE INDEX account_costs_project ON account_costs (model, project, cost_micro_usd, account) WHERE day = '';
  CREATE TABLE account_journal (
    key text COLLATE "C" PRIMARY KEY,
    session text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    journal text COLLATE "C" NOT NULL,
    line text COLLATE "C" NOT NULL,
    mark text NOT NULL
  );
  CREATE INDEX account_journal_session ON account_journal (session);`
