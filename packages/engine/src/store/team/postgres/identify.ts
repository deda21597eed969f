import { type Identity, lowerRole, type Role } from '@panoptes/schema'
import type { Database, Row } from '../../postgres/database.ts'
import type { Unknown } from '../port.ts'
import { hashSecret, secretKind } from './secrets.ts'
import { NOW } from './tables.ts'

export type Identified = { readonly identity: Identity } | { readonly refused: Unknown }

/** The time of the last use is written no more often than this. */
const EACH_MS = 60_000

const SEEN = `UPDATE users SET last_seen = ${NOW} WHERE id IN (
  SELECT id FROM users WHERE id = (SELECT user_id FROM found WHERE refused IS NULL)
    AND coalesce(last_seen, 0) < ${NOW} - ${EACH_MS} FOR NO KEY UPDATE SKIP LOCKED)`

const SEEN_HERE = `UPDATE members SET last_seen = ${NOW} WHERE (user_id, space) IN (
  SELECT user_id, space FROM members
  WHERE (user_id, space) IN (SELECT user_id, space FROM found WHERE refused IS NULL)
    AND coalesce(last_seen, 0) < ${NOW} - ${EACH_MS} FOR NO KEY UPDATE SKIP LOCKED)`

/** Skips the row when somebody else holds its lock, so that nobody waits. */
const OF_TOKEN = `
  WITH found AS (
    SELECT t.id AS token_id, t.label, t.space, t.scope, t.role, t.user_id, t.expires_at, u.email, m.role AS has,
      CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
           WHEN t.expires_at <= ${NOW} THEN 'expired'
           WHEN t.user_id IS NOT NULL AND u.disabled THEN 'disabled'
           WHEN t.user_id IS NOT NULL AND m.role IS NULL THEN 'revoked' END AS refused
    FROM tokens t LEFT JOIN users u ON u.id = t.user_id
      LEFT JOIN members m ON m.user_id = t.user_id AND m.space = t.space
    WHERE t.hash = $1
  ), used AS (
    UPDATE tokens SET last_used = ${NOW} WHERE id IN (
      SELECT id FROM tokens WHERE id = (SELECT token_id FROM found WHERE refused IS NULL)
        AND coalesce(last_used, 0) < ${NOW} - ${EACH_MS} FOR NO KEY UPDATE SKIP LOCKED)
  ), seen AS (${SEEN}), seen_here AS (${SEEN_HERE})
  SELECT * FROM found`

const OF_SIGN_IN = `
  WITH found AS (
    SELECT NULL AS token_id, NULL AS label, s.space, 'full' AS scope, m.role, s.user_id, s.expires_at, u.email,
      m.role AS has,
      CASE WHEN s.expires_at <= ${NOW} THEN 'expired'
           WHEN u.disabled THEN 'disabled'
           WHEN m.role IS NULL THEN 'revoked' END AS refused
    FROM sign_ins s JOIN users u ON u.id = s.user_id
      LEFT JOIN members m ON m.user_id = s.user_id AND m.space = s.space
    WHERE s.hash = $1
  ), seen AS (${SEEN}), seen_here AS (${SEEN_HERE})
  SELECT * FROM found`

export async function identify({ row }: Database, secret: string): Promise<Identified> {
  const kind = secretKind(secret)
  if (kind === undefined) return { refused: 'unknown' }
  const found = await row(kind === 'token' ? OF_TOKEN : OF_SIGN_IN, [hashSecret(secret)])
  if (found === undefined) return { refused: 'unknown' }
  if (found.refused !== null) return { refused: found.refused as Unknown }
  return { identity: identityIn(found) }
}

const identityIn = (row: Row): Identity => ({
  user_id: row.user_id === null ? null : String(row.user_id),
  token_id: row.token_id === null ? null : String(row.token_id),
  label: String(row.email ?? row.label),
  space: String(row.space),
  scope: row.scope as Identity['scope'],
  role: roleNow(row),
  expires_at: row.expires_at === null ? null : Number(row.expires_at),
})

/** Returns the role of a token, or that of its person if it is lower. */
export const roleNow = ({ role, has }: Row): Role =>
  has === null ? (role as Role) : lowerRole(role as Role, has as Role)
