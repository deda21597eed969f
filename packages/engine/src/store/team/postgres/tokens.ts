import { randomUUID } from 'node:crypto'
import { Refused } from '@panoptes/engine/worker-rpc'
import { hasRole, lowerRole, newToken, type Role, type TeamToken } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Connection, Database, Row } from '../../postgres/database.ts'
import type { MadeToken, TokenRequest } from '../port.ts'
import { roleNow } from './identify.ts'
import { hashSecret, newSecret, SIGN_IN, secretHint, TOKEN } from './secrets.ts'
import { NOW } from './tables.ts'
import { invalid, requireSpace, requireUser } from './users.ts'

const SENDS: ReadonlySet<TeamToken['scope']> = new Set(['ingest', 'gateway'])

const COLUMNS =
  'id, hint, label, space, scope, role, user_id, created_at, expires_at, revoked_at, last_used, host, host_seen'

/** Lists tokens newest first, each with its current role, which is never above its person's role. */
export async function readTokens({ rows }: Database, space: string): Promise<readonly TeamToken[]> {
  const found = await rows(
    `SELECT tokens.*, members.role AS has FROM tokens
     LEFT JOIN members ON members.user_id = tokens.user_id AND members.space = tokens.space
     WHERE tokens.space = $1 ORDER BY tokens.created_at DESC, tokens.id`,
    [space],
  )
  return found.map((row) => tokenIn({ ...row, role: roleNow(row) }))
}

export const createToken = (database: Database, wish: TokenRequest): Promise<MadeToken> =>
  database.transaction(async (connection) => {
    const { space, userId = null, expiresAt = null } = wish
    const { label, scope, role } = validateToken(wish)
    await requireSpace(connection, space)
    const has = userId === null ? role : await requireMember(connection, userId, space)
    if (SENDS.has(scope) && !hasRole(lowerRole(role, has), 'member'))
      throw invalid(
        `A token with the scope ${scope} sends events, which viewers cannot do. It needs the role member${userId === null ? '' : ', and so does its owner'}.`,
      )
    const token = newSecret(TOKEN)
    const made = await connection.row(
      `INSERT INTO tokens (id, hash, hint, label, space, scope, role, user_id, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${NOW}, $9) RETURNING ${COLUMNS}`,
      [randomUUID(), hashSecret(token), secretHint(token), label, space, scope, role, userId, expiresAt],
    )
    return { token, about: tokenIn(made ?? {}) }
  })

export async function revokeToken({ row }: Database, space: string, id: string): Promise<TeamToken> {
  const found = await row(
    `UPDATE tokens SET revoked_at = coalesce(revoked_at, ${NOW}) WHERE space = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [space, id],
  )
  if (found === undefined)
    throw new Refused(failure('not_found', `The space "${space}" has no token with this id.`))
  return tokenIn(found)
}

export const signIn = (database: Database, userId: string, space: string, untilMs: number): Promise<string> =>
  database.transaction(async (connection) => {
    await requireMember(connection, userId, space)
    await connection.run(`DELETE FROM sign_ins WHERE expires_at <= ${NOW}`)
    const secret = newSecret(SIGN_IN)
    await connection.run(`INSERT INTO sign_ins VALUES ($1, $2, $3, ${NOW}, $4)`, [
      hashSecret(secret),
      userId,
      space,
      Math.floor(untilMs),
    ])
    return secret
  })

export async function signOut({ row }: Database, secret: string): Promise<boolean> {
  return (
    (await row('DELETE FROM sign_ins WHERE hash = $1 RETURNING true', [hashSecret(secret)])) !== undefined
  )
}

export const moveSignIn = (database: Database, secret: string, space: string): Promise<null> =>
  database.transaction(async (connection) => {
    const found = await connection.row(
      `SELECT user_id FROM sign_ins WHERE hash = $1 AND expires_at > ${NOW} FOR UPDATE`,
      [hashSecret(secret)],
    )
    if (found === undefined) throw new Refused(failure('not_found', 'This sign-in has ended. Sign in again.'))
    await requireMember(connection, String(found.user_id), space)
    await connection.run('UPDATE sign_ins SET space = $2 WHERE hash = $1', [hashSecret(secret), space])
    return null
  })

/** Fails for people outside the space without revealing whether the space exists. */
async function requireMember(connection: Connection, userId: string, space: string): Promise<Role> {
  const user = await requireUser(connection, userId)
  const role = user.roles[space]
  if (role === undefined) throw invalid(`${user.email} is not in a space "${space}".`)
  if (user.disabled) throw invalid(`${user.email} is disabled.`)
  return role
}

function validateToken({ label, scope, role }: TokenRequest) {
  const parsed = newToken.safeParse({ label, scope, role })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(`The ${String(issue?.path[0] ?? 'token')} ${issue?.message}.`)
}

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

const tokenIn = (row: Row): TeamToken => ({
  id: String(row.id),
  hint: String(row.hint),
  label: String(row.label),
  space: String(row.space),
  scope: row.scope as TeamToken['scope'],
  role: row.role as TeamToken['role'],
  user_id: row.user_id === null ? null : String(row.user_id),
  created_at: Number(row.created_at),
  expires_at: numberOrNull(row.expires_at),
  revoked_at: numberOrNull(row.revoked_at),
  last_used: numberOrNull(row.last_used),
  host: row.host === null ? null : String(row.host),
  host_seen: numberOrNull(row.host_seen),
})
