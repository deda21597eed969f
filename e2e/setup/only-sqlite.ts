/** Files of tests that are about SQLite's own file, with the reason. */
const FILES: Readonly<Record<string, string>> = {
  'e2e/crash.test.ts':
    'kills the process that writes the file; PostgreSQL has such tests of its own in ledger/postgres-crash.test.ts',
  'e2e/forget-command.test.ts':
    'writes into the tables of the file, and its tests follow on each other; e2e/team-forget.test.ts forgets on hubs',
  'e2e/crash-check.test.ts': 'checks what the former is checked with',
  'e2e/forward-command.test.ts':
    'is of computers that forward to a hub; e2e/team-forward.test.ts has the hub',
}

const ITS_FILES = 'looks at the files of a ledger and an index that are in a home'
const OWN =
  'on a hub a conversation is its owner’s alone until it is shared, and in no list of sessions; e2e/team-*.test.ts say what it is then'

const ITS_TOKENS =
  'is of the token files of one computer; people of a hub have tokens and a page to sign in of their own, which e2e/team-{page,people,sign-in}.test.ts try'

const ITS_AGENTS =
  'a hub looks for no agents on its own computer, and lets Hermes answer only in conversations that are shared; e2e/chat-hermes.test.ts does that'

const ITS_TRACES =
  'is of traces in files; those of hubs are in the database, which packages/cli/src/daemon/shared-moa.postgres.test.ts tries'

/** Single tests that are, or that are about one computer alone, by a part of their name. */
const TESTS: Readonly<Record<string, string>> = {
  'makes files for this user alone, and no ledger only to read': ITS_FILES,
  'ends with 1 when something failed': 'damages the file of a ledger',
  'is nothing yet before the first start': 'a database makes what is not there when it is opened',
  'is all that is remembered here: facts, files of other agents, notes, skills, earlier sessions':
    'a hub tells nobody what agents remember of the person whose computer it runs on',
  'is an agent in Live, has its account and usage in the Ledger, and is listed and found among sessions': OWN,
  'offers what Panoptes knows to a client, as tools that only read': OWN,
  'answers from the files when the daemon is killed, lets go of them, and asks the next daemon': OWN,
  'is handed on by what was said, and each goes on with its own': ITS_AGENTS,
  'goes on with another where one fails, and says what to do': ITS_AGENTS,
  'says so, and of each runtime what to do': ITS_AGENTS,
  'is named by up, doctor and hooks status, until its hooks are there': ITS_AGENTS,
  'writes no text down while that is off': ITS_TRACES,
  'breaks no turn where lines cannot be written, and doctor shows why': ITS_TRACES,
  'are read where the daemon writes them, whatever the variable is here': ITS_TRACES,
  'copies a token, stays signed in when it rotates it, and asks to sign in when another does': ITS_TOKENS,
}

interface OnlySqlite {
  readonly files: readonly string[]
  /** Fits the names of the tests that are about any engine. */
  readonly others: RegExp | undefined
}

export function onlySqlite(engine: string | undefined): OnlySqlite {
  if (engine !== 'postgres') return { files: [], others: undefined }
  const names = Object.keys(TESTS).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return {
    files: Object.keys(FILES),
    others: names.length === 0 ? undefined : new RegExp(`^(?!.*(?:${names.join('|')}))`, 's'),
  }
}
