import { setTimeout } from 'node:timers/promises'
import { Refused } from '@panoptes/engine/worker-rpc'
import { type AuditEntry, formatUploaderId, type Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { TEAM_SCHEMA } from '../../open-store.ts'
import {
  type Connection,
  type Database,
  expectWritable,
  openDatabase,
  type Row,
  runTransaction,
  type Value,
} from '../../postgres/database.ts'
import { formatAddress, toFailure } from '../../postgres/failures.ts'
import { LOCKS } from '../../postgres/locks.ts'
import { toStoredName } from '../../transcripts/tables.ts'
import type { AuditNote, AuditQuery, Team } from '../port.ts'
import { identify } from './identify.ts'
import { sharedKey } from './secrets.ts'
import { removeSpace } from './spaces.ts'
import { NOW, teamMigrations } from './tables.ts'
import { createToken, moveSignIn, readTokens, revokeToken, signIn, signOut } from './tokens.ts'
import {
  changeUser,
  createSpace,
  createUser,
  findUser,
  linkUser,
  readSpaces,
  readUser,
  readUsers,
  removeUser,
  setRole,
  unlinkUser,
} from './users.ts'

/** A caller waits at most this long for a server that does not answer. */
const PATIENCE_MS = 15_000
const PING_MS = 3_000

/**
 * Opens or creates a team in a PostgreSQL database. Any number of processes may have it open. `url` begins
 * with `postgres://`.
 */
export async function openTeam({ url }: { readonly url: string }): Promise<Result<Team>> {
  const where = formatAddress(url)
  const database = openDatabase(url, TEAM_SCHEMA)
  let closing: Promise<void> | undefined
  const ask = async <T>(work: () => Promise<T>, patience = PATIENCE_MS): Promise<Result<T>> => {
    if (closing !== undefined) return failure('closed', 'The team is closed.')
    const abort = new AbortController()
    try {
      const late = setTimeout(patience, undefined, { signal: abort.signal }).then(() => {
        throw Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
      })
      late.catch(() => undefined)
      return success(await Promise.race([work(), late]))
    } catch (error) {
      return toFailure(error, where)
    } finally {
      abort.abort()
    }
  }
  const close = (): Promise<void> => {
    closing ??= database.close()
    return closing
  }
  try {
    await migrateTeam(database)
  } catch (error) {
    await close()
    return toFailure(error, where)
  }
  return success({
    spaces: () => ask(() => readSpaces(database)),
    createSpace: (name) => ask(() => createSpace(database, name)),
    removeSpace: (name) => ask(() => removeSpace(database, name)),
    users: (space) => ask(() => readUsers(database, space)),
    user: (id, space) => ask(() => readUser(database, id, space)),
    findUser: (by) => ask(() => findUser(database, by)),
    createUser: (wish) => ask(() => createUser(database, wish)),
    changeUser: (id, change) => ask(() => changeUser(database, id, change)),
    linkUser: (id, subject) => ask(() => linkUser(database, id, subject)),
    unlinkUser: (id) => ask(() => unlinkUser(database, id)),
    setRole: (id, space, role) => ask(() => setRole(database, id, space, role)),
    removeUser: (id) => ask(() => removeUser(database, id)),
    tokens: (space) => ask(() => readTokens(database, space)),
    createToken: (wish) => ask(() => createToken(database, wish)),
    revokeToken: (space, id) => ask(() => revokeToken(database, space, id)),
    sawHost: (id, host) => ask(() => sawHost(database, id, host)),
    claimUploader: (telling) => ask(() => claimUploader(database, telling)),
    releaseUploaders: (space, host) => ask(() => releaseUploaders(database, space, host)),
    signIn: (id, space, until) => ask(() => signIn(database, id, space, until)),
    signOut: (secret) => ask(() => signOut(database, secret)),
    moveSignIn: (secret, space) => ask(() => moveSignIn(database, secret, space)),
    identify: (secret) => ask(() => identify(database, secret)),
    secret: () => ask(() => sharedKey(database, 'sign')),
    settings: () => ask(() => readSettings(database)),
    setSetting: (name, value) => ask(() => setSetting(database, name, value)),
    note: (entries) => ask(() => note(database, entries)),
    audit: (query) => ask(() => readAudit(database, query)),
    retainAudit: (before) => ask(() => retainAudit(database, before)),
    ping: () =>
      ask(async () => {
        await expectWritable(database)
        return null
      }, PING_MS),
    close,
  })
}

/** Skips the row when somebody else holds its lock, so that nobody waits. */
const SAW = `UPDATE tokens SET host = $2, host_seen = ${NOW} WHERE id IN (
  SELECT id FROM tokens WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)`

async function sawHost({ run }: Database, tokenId: string, host: string): Promise<null> {
  await run(SAW, [tokenId, host])
  return null
}

async function readSettings({ rows }: Database): Promise<Readonly<Record<string, string>>> {
  const found = await rows('SELECT name, value FROM settings ORDER BY name')
  return Object.fromEntries(found.map(({ name, value }) => [String(name), String(value)]))
}

async function setSetting({ run }: Database, name: string, value: string | null): Promise<boolean> {
  if (value === null) return (await run('DELETE FROM settings WHERE name = $1', [name])) > 0
  await run('INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [
    name,
    value,
  ])
  return true
}

/** Creates the schema and upgrades it. Hubs that start at the same time wait for the first one. */
async function migrateTeam(database: Database): Promise<void> {
  await database.withoutTimeout(async (connection) => {
    const of = [LOCKS.migrate, database.schema] as const
    await connection.run('SELECT pg_advisory_lock($1, hashtext($2))', of)
    try {
      await upToDate(connection, database.schema)
    } finally {
      await connection.run('SELECT pg_advisory_unlock($1, hashtext($2))', of)
    }
  })
}

async function upToDate(connection: Connection, schema: string): Promise<void> {
  const { row, run } = connection
  const found = await row(
    `SELECT current_setting('server_encoding') AS encoding, to_regnamespace($1) IS NOT NULL AS made`,
    [schema],
  )
  if (found?.encoding !== 'UTF8')
    throw new Refused(
      failure('invalid', 'The database must use UTF8. Create one with: createdb --encoding UTF8.'),
    )
  // A user who may not create a schema can still use an existing one.
  if (found.made !== true) await run(`CREATE SCHEMA ${schema}`)
  const versions = await row(`SELECT to_regclass($1) IS NOT NULL AS made`, [`${schema}.schema_versions`])
  if (versions?.made !== true) await run('CREATE TABLE schema_versions (version integer PRIMARY KEY)')
  const last = await row('SELECT max(version) AS version FROM schema_versions')
  for (const [at, migration] of teamMigrations.entries()) {
    if (at < Number(last?.version ?? 0)) continue
    await runTransaction(connection, 'BEGIN', async () => {
      await run(migration)
      await run('INSERT INTO schema_versions VALUES ($1)', [at + 1])
    })
  }
}

/** A token that has ended releases its roles, and tokens of one person share them. */
const HELD_BY_OTHER = `
  FROM tokens t LEFT JOIN users u ON u.id = t.user_id
    LEFT JOIN members m ON m.user_id = t.user_id AND m.space = t.space
  WHERE t.id = held.token_id AND t.id <> $3
    AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${NOW})
    AND (t.user_id IS NULL OR NOT u.disabled AND m.role IS NOT NULL)
    AND t.user_id IS DISTINCT FROM coalesce((SELECT user_id FROM tokens WHERE id = $3), '')`

const HELD = `
  SELECT held.token_id = $3 AS own, (SELECT t.label ${HELD_BY_OTHER}) AS other
  FROM tellers held WHERE held.space = $1 AND held.teller = $2`

const TAKE = `
  INSERT INTO tellers AS held VALUES ($1, $2, $3, ${NOW})
  ON CONFLICT (space, teller) DO UPDATE SET token_id = excluded.token_id, since = excluded.since
  WHERE NOT EXISTS (SELECT ${HELD_BY_OTHER})
  RETURNING true`

interface UploaderClaim {
  readonly space: string
  readonly uploader: string
  readonly tokenId: string
  readonly take: boolean
}

/**
 * Sessions of a computer come with the first token that uploaded them, as long as it is valid. Returns that
 * token's label if it is another one.
 */
async function claimUploader(database: Database, telling: UploaderClaim): Promise<string | null> {
  const { row } = database
  const { space, uploader, tokenId, take } = telling
  const wish = [space, toStoredName(uploader), tokenId]
  const held = await row(HELD, wish)
  const other = typeof held?.other === 'string' ? held.other : null
  if (!take || other !== null || held?.own === true) return other
  // Another token may have been quicker.
  return (await row(TAKE, wish)) === undefined ? claimUploader(database, telling) : null
}

/** Releases all home folders of the computer. */
const releaseUploaders = ({ run }: Database, space: string, host: string): Promise<number> =>
  run('DELETE FROM tellers WHERE space = $1 AND (teller = $2 OR starts_with(teller, $3))', [
    space,
    host,
    formatUploaderId(host, ''),
  ])

/** The limit for text that may come from outside. */
const LONGEST = 500

const COLUMNS = ['actor', 'user_id', 'token_id', 'space', 'action', 'target', 'outcome', 'address'] as const

async function note({ run }: Database, entries: readonly AuditNote[]): Promise<null> {
  if (entries.length === 0) return null
  const columns = COLUMNS.map((name) => entries.map((entry) => entry[name]?.slice(0, LONGEST) ?? null))
  await run(
    `INSERT INTO audit (ts, ${COLUMNS.join(', ')})
     SELECT ${NOW}, * FROM unnest(${COLUMNS.map((_, at) => `$${at + 1}::text[]`).join(', ')})`,
    columns,
  )
  return null
}

async function readAudit({ rows }: Database, query: AuditQuery) {
  const { space, actor, action, before, limit } = query
  const values: Value[] = []
  const of = (value: Value): string => `$${values.push(value)}`
  const where = [
    ...(space === undefined ? [] : [space === null ? 'space IS NULL' : ofSpace(of(space))]),
    ...(actor === undefined ? [] : [`lower(actor) = lower(${of(actor)})`]),
    // Actions are named from the whole to the part, so "tokens" also finds "tokens.create".
    ...(action === undefined ? [] : [`(action = ${of(action)} OR starts_with(action, ${of(`${action}.`)}))`]),
    ...(before === undefined ? [] : [`id < ${of(before)}`]),
  ]
  const found = await rows(
    `SELECT id, ts, ${COLUMNS.join(', ')} FROM audit ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`}
     ORDER BY id DESC LIMIT ${of(limit + 1)}`,
    values,
  )
  const entries = found.slice(0, limit).map(entryIn)
  return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null }
}

/** Entries of a removed space do not belong to a new space of the same name. */
const ofSpace = (name: string): string =>
  `space = ${name} AND ts >= coalesce((SELECT created_at FROM spaces WHERE name = ${name}), 0)`

const retainAudit = ({ run }: Database, before: number): Promise<number> =>
  run('DELETE FROM audit WHERE ts < $1', [Math.floor(before)])

const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))

const entryIn = (row: Row): AuditEntry => ({
  id: Number(row.id),
  ts: Number(row.ts),
  actor: textOrNull(row.actor),
  user_id: textOrNull(row.user_id),
  token_id: textOrNull(row.token_id),
  space: textOrNull(row.space),
  action: String(row.action),
  target: textOrNull(row.target),
  outcome: row.outcome as AuditEntry['outcome'],
  address: textOrNull(row.address),
})
