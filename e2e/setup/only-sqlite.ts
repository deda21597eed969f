/** Test files about SQLite's own file, with the reason. */
const FILES: Readonly<Record<string, string>> = {
  'e2e/crash.test.ts':
    'kills the process that writes the file; packages/engine/src/store/postgres-crash.test.ts does the same with PostgreSQL',
  'e2e/forget-command.test.ts':
    'writes into the tables of the file, and its tests depend on each other; e2e/team-forget.test.ts covers hubs',
  'e2e/crash-check.test.ts': 'tests the checks of e2e/crash.test.ts',
  'e2e/secrets.test.ts':
    'searches the bytes of the file; packages/engine/src/store/conformance/redacting.ts does the same with PostgreSQL',
  'e2e/forward-command.test.ts':
    'is about computers that forward to a hub; e2e/team-forward.test.ts covers the hub',
}

const ITS_FILES = 'looks at the files of the store and the index in a home'
const OWN =
  'on a hub a conversation is private until it is shared, and in no list of sessions; e2e/team-*.test.ts cover that'

const ITS_TOKENS =
  'is about the token files of one computer; people of a hub have their own tokens and sign-in page, which e2e/team-{page,sign-in}.test.ts cover'

const ITS_AGENTS =
  'a hub looks for no agents on its own computer, and lets Hermes answer only in shared conversations; e2e/chat-hermes.test.ts covers that'

const ITS_TRACES =
  'is about traces in files; hubs store them in the database, which packages/cli/src/daemon/shared-moa.postgres.test.ts covers'

/** Single tests about SQLite's file or about one computer, by part of their title. */
const TESTS: Readonly<Record<string, string>> = {
  'creates files for this user only, and no store just to read': ITS_FILES,
  'shows in status that it stores nothing, why, and what to do': ITS_FILES,
  'exits with 1 when something failed': 'damages the file of the store',
  'report a missing store before the first start': 'opening a database creates what is missing',
  'contains everything remembered here: facts, files of other agents, notes, skills, earlier sessions':
    'a hub reveals nothing of what agents remember about the person who runs it',
  'is an agent in Live, has its cost and usage in the Ledger, and is listed and searchable among sessions':
    OWN,
  'offers what Panoptes knows to a client, as read-only tools': OWN,
  'answers from files when the daemon is killed, closes them, and uses the next daemon': OWN,
  'gives each runtime the messages that it missed, and continues with its own state': ITS_AGENTS,
  'continues with another runtime after a failure, and suggests what to do': ITS_AGENTS,
  'reports that no runtime can answer, and suggests what to do for each': ITS_AGENTS,
  'is named by up, doctor and hooks status until its hooks are installed': ITS_AGENTS,
  'stores no text while traces are off': ITS_TRACES,
  'lets no turn fail if traces cannot be written, and doctor explains why': ITS_TRACES,
  'are read where the daemon writes them, whatever the variable is in the command': ITS_TRACES,
  'copies a token, stays signed in after rotating it, and asks to sign in after another client rotated it':
    ITS_TOKENS,
}

interface OnlySqlite {
  readonly files: readonly string[]
  /** Matches the titles of all other tests. */
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
