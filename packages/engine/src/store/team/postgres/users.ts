import { randomUUID } from 'node:crypto'
import { Refused } from '@panoptes/engine/worker-rpc'
import {
  newUser,
  type Role,
  role as roleSchema,
  type Space,
  spaceName,
  type TeamUser,
} from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Connection, Database, Row, Value } from '../../postgres/database.ts'
import type { UserChange, UserRequest } from '../port.ts'
import { NOW } from './tables.ts'

/** Changes of rights wait for each other, so that no two admins remove each other's rights at once. */
const PEOPLE = 0x506e7400

const changeRights = <T>(database: Database, work: (connection: Connection) => Promise<T>): Promise<T> =>
  database.transaction(async (connection) => {
    await connection.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [PEOPLE, database.schema])
    return work(connection)
  })

export async function readSpaces({ rows }: Database): Promise<readonly Space[]> {
  const found = await rows('SELECT name, created_at FROM spaces ORDER BY name')
  return found.map(spaceIn)
}

export async function createSpace({ row }: Database, name: string): Promise<Space> {
  const parsed = spaceName.safeParse(name)
  if (!parsed.success) throw invalid(`The name of a space ${parsed.error.issues[0]?.message}.`)
  const made = await row(
    `INSERT INTO spaces VALUES ($1, ${NOW}) ON CONFLICT DO NOTHING RETURNING name, created_at`,
    [name],
  )
  if (made === undefined) throw invalid(`A space named "${name}" already exists.`)
  return spaceIn(made)
}

const USER = 'u.id, u.email, u.name, u.created_at, u.last_seen, u.disabled'
const ROLES = `(SELECT coalesce(json_object_agg(m.space, m.role ORDER BY m.space), '{}')
  FROM members m WHERE m.user_id = u.id) AS roles`

/**
 * Selects what a space knows about a person: their role in it, since when they are in it, and when they were
 * last there.
 */
const IN_SPACE = `
  SELECT u.id, u.email, u.name, u.disabled, m.since AS created_at, m.last_seen,
    json_build_object(m.space, m.role) AS roles
  FROM users u JOIN members m ON m.user_id = u.id WHERE m.space = $1`

export async function readUsers({ rows }: Database, space?: string): Promise<readonly TeamUser[]> {
  const found =
    space === undefined
      ? await rows(`SELECT ${USER}, ${ROLES} FROM users u ORDER BY u.email_key`)
      : await rows(`${IN_SPACE} ORDER BY u.email_key`, [space])
  return found.map(userIn)
}

type Asking = Pick<Connection, 'row'>

const userWhere = async ({ row }: Asking, where: string, value: Value): Promise<TeamUser | null> => {
  const found = await row(`SELECT ${USER}, ${ROLES} FROM users u WHERE ${where} = $1`, [value])
  return found === undefined ? null : userIn(found)
}

export async function readUser(asking: Asking, id: string, space?: string): Promise<TeamUser | null> {
  if (space === undefined) return userWhere(asking, 'u.id', id)
  const found = await asking.row(`${IN_SPACE} AND u.id = $2`, [space, id])
  return found === undefined ? null : userIn(found)
}

export const findUser = (
  asking: Asking,
  by: { readonly email: string } | { readonly subject: string },
): Promise<TeamUser | null> =>
  'email' in by
    ? userWhere(asking, 'u.email_key', emailKey(by.email))
    : userWhere(asking, 'u.subject', by.subject)

export async function createUser(database: Database, wish: UserRequest): Promise<TeamUser> {
  const { email, name } = valid({ email: wish.email.trim(), name: wish.name })
  const id = randomUUID()
  const made = await database.run(
    `INSERT INTO users (id, email, email_key, name, created_at) VALUES ($1, $2, $3, $4, ${NOW}) ON CONFLICT DO NOTHING`,
    [id, email, emailKey(email), name],
  )
  if (made === 0) throw invalid(`A person with the email ${email} already exists.`)
  return requireUser(database, id)
}

export const changeUser = (database: Database, id: string, change: UserChange): Promise<TeamUser> =>
  changeRights(database, async (connection) => {
    const { name, disabled, askedIn } = change
    await requireUser(connection, id)
    if (disabled === true) await requireAnotherAdmin(connection, id, null, askedIn)
    if (name !== undefined) {
      const parsed = valid({ email: 'a@b', name })
      await connection.run('UPDATE users SET name = $2 WHERE id = $1', [id, parsed.name])
    }
    if (disabled !== undefined)
      await connection.run('UPDATE users SET disabled = $2 WHERE id = $1', [id, disabled])
    // Somebody who returns later has to sign in again.
    if (disabled === true) await connection.run('DELETE FROM sign_ins WHERE user_id = $1', [id])
    return requireUser(connection, id)
  })

export const linkUser = (database: Database, id: string, subject: string): Promise<null> =>
  changeRights(database, async (connection) => {
    await requireUser(connection, id)
    const other = await findUser(connection, { subject })
    if (other !== null && other.id !== id) throw invalid(`This sign-in already belongs to ${other.email}.`)
    // Addresses change hands, accounts do not: another account with a known address is another person.
    const linked = await connection.run(
      'UPDATE users SET subject = $2 WHERE id = $1 AND (subject IS NULL OR subject = $2)',
      [id, subject],
    )
    if (linked === 0) throw invalid('This person already signs in with another account.')
    return null
  })

export const unlinkUser = (database: Database, id: string): Promise<null> =>
  changeRights(database, async (connection) => {
    await requireUser(connection, id)
    await connection.run('UPDATE users SET subject = NULL WHERE id = $1', [id])
    await connection.run('DELETE FROM sign_ins WHERE user_id = $1', [id])
    return null
  })

export const setRole = (
  database: Database,
  id: string,
  space: string,
  role: Role | null,
): Promise<TeamUser> =>
  changeRights(database, async (connection) => {
    await requireUser(connection, id)
    await requireSpace(connection, space)
    if (role !== null && !roleSchema.safeParse(role).success)
      throw invalid('A role is viewer, member or admin.')
    if (role !== 'admin') await requireAnotherAdmin(connection, id, space)
    if (role === null) await takeOut(connection, id, space)
    else
      await connection.run(
        `INSERT INTO members VALUES ($1, $2, $3) ON CONFLICT (user_id, space) DO UPDATE SET role = excluded.role`,
        [id, space, role],
      )
    return requireUser(connection, id)
  })

export const removeUser = (database: Database, id: string): Promise<null> =>
  changeRights(database, async (connection) => {
    await requireUser(connection, id)
    await requireAnotherAdmin(connection, id, null)
    await takeOut(connection, id, null)
    return null
  })

/**
 * Removes a person from one space or from all. Their tokens end permanently, so that none becomes valid when
 * the person returns.
 */
async function takeOut({ run }: Connection, id: string, space: string | null): Promise<void> {
  const of = 'user_id = $1 AND ($2::text IS NULL OR space = $2)'
  await run(`DELETE FROM members WHERE ${of}`, [id, space])
  await run(`DELETE FROM sign_ins WHERE ${of}`, [id, space])
  await run(`UPDATE tokens SET revoked_at = ${NOW} WHERE ${of} AND revoked_at IS NULL`, [id, space])
  // People without a space cannot come in anyway, and may sign in once an admin adds them to one.
  await run(
    'UPDATE users SET disabled = false WHERE id = $1 AND NOT EXISTS (SELECT FROM members WHERE user_id = $1)',
    [id],
  )
}

/** A space without an admin could be repaired only by somebody with access to the database. */
async function requireAnotherAdmin(
  { row }: Connection,
  id: string,
  space: string | null,
  askedIn?: string,
): Promise<void> {
  const alone = await row(
    `SELECT m.space FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.user_id = $1 AND m.role = 'admin' AND NOT u.disabled AND ($2::text IS NULL OR m.space = $2)
       AND NOT EXISTS (SELECT FROM members o JOIN users p ON p.id = o.user_id
         WHERE o.space = m.space AND o.role = 'admin' AND o.user_id <> $1 AND NOT p.disabled)
     ORDER BY m.space LIMIT 1`,
    [id, space],
  )
  if (alone === undefined) return
  const isNamed = askedIn === undefined || alone.space === askedIn
  throw invalid(
    isNamed
      ? `They are the last admin of the space "${alone.space}". Make someone else an admin first.`
      : 'They are the last admin of another space. With access to the database, find it with: panoptes team users list --all',
  )
}

export async function requireUser(asking: Asking, id: string): Promise<TeamUser> {
  const found = await readUser(asking, id)
  if (found === null) throw new Refused(failure('not_found', 'No person has this id.'))
  return found
}

export async function requireSpace({ row }: Asking, space: string): Promise<void> {
  const found = await row('SELECT FROM spaces WHERE name = $1', [space])
  if (found === undefined) throw new Refused(failure('not_found', `No space is named "${space}".`))
}

export const invalid = (message: string): Refused => new Refused(failure('invalid', message))

function valid(wish: { readonly email: string; readonly name: string | undefined }) {
  const parsed = newUser.safeParse(wish)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(`The ${issue?.path[0] === 'name' ? 'name' : 'address'} ${issue?.message}.`)
}

/** This is not done by the database, whose case rules depend on how it was created. */
const emailKey = (email: string): string => email.trim().normalize('NFC').toLowerCase()

const spaceIn = (row: Row): Space => ({ name: String(row.name), created_at: Number(row.created_at) })

const userIn = (row: Row): TeamUser => ({
  id: String(row.id),
  email: String(row.email),
  name: String(row.name),
  roles: row.roles as TeamUser['roles'],
  created_at: Number(row.created_at),
  last_seen: row.last_seen === null ? null : Number(row.last_seen),
  disabled: row.disabled === true,
})
