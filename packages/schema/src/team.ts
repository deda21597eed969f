import { z } from 'zod'
import { timestamp } from './time.ts'

/**
 * What somebody may do in a space: look, work, or manage who else may. Each role includes the ones
 * before it.
 */
export const ROLES = ['viewer', 'member', 'admin'] as const
export const role = z.enum(ROLES, 'must be viewer, member or admin')
export type Role = z.infer<typeof role>

export const hasRole = (has: Role, needs: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needs)

export const lowerRole = (one: Role, other: Role): Role => (hasRole(one, other) ? other : one)

/**
 * What a token is for: people sign in with `full`, machines usually have `ingest`, and monitoring
 * has `metrics`.
 */
export const teamScope = z.enum(
  ['full', 'ingest', 'gateway', 'metrics'],
  'must be full, ingest, gateway or metrics',
)

/** An isolated part of a team. Data of one space is invisible in every other space. */
export const spaceName = z
  .string('must be the name of a space')
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must begin with a letter, then a-z, 0-9 or -, at most 40 of them')

/** The initial space. Its admins decide about everything that concerns all spaces. */
export const FIRST_SPACE = 'main'

export const space = z.object({ name: spaceName, created_at: timestamp })
export type Space = z.infer<typeof space>

const email = z
  .string('must be an e-mail address')
  .regex(/^[^@\s\p{C}]+@[^@\s\p{C}]+$/u, 'must be an e-mail address')
  .max(320)

/** A person of the team, with a role in each of their spaces. */
export const teamUser = z.object({
  id: z.string(),
  email,
  name: z.string(),
  roles: z.record(spaceName, role),
  created_at: timestamp,
  /** Null if they have never signed in. */
  last_seen: timestamp.nullable(),
  /** A disabled person cannot sign in, and their tokens are rejected. */
  disabled: z.boolean(),
})
export type TeamUser = z.infer<typeof teamUser>

/** What is known about a token; the token itself is shown once, when it is created. */
export const teamToken = z.object({
  id: z.string(),
  /** Its first characters, by which it can be recognized. */
  hint: z.string(),
  label: z.string(),
  space: spaceName,
  scope: teamScope,
  role,
  /** The owner; null for a machine's token. */
  user_id: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  last_used: timestamp.nullable(),
  /** The name of the computer that last used it, and when; null if none has. */
  host: z.string().nullable(),
  host_seen: timestamp.nullable(),
})
export type TeamToken = z.infer<typeof teamToken>

/** Something that somebody did or attempted. */
export const auditEntry = z.object({
  id: z.int(),
  ts: timestamp,
  /** Who it was, for people to read: an address or the label of a token; null if unknown. */
  actor: z.string().nullable(),
  user_id: z.string().nullable(),
  token_id: z.string().nullable(),
  space: z.string().nullable(),
  action: z.string(),
  /** What was affected. */
  target: z.string().nullable(),
  outcome: z.enum(['done', 'refused', 'failed']),
  address: z.string().nullable(),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** The caller, after a token or a sign-in was checked. */
export const identity = z.object({
  user_id: z.string().nullable(),
  token_id: z.string().nullable(),
  /** For people to read. */
  label: z.string(),
  space: spaceName,
  scope: teamScope,
  role,
  /** When the credential expires; null if it does not. */
  expires_at: timestamp.nullable(),
})
export type Identity = z.infer<typeof identity>

export const spacesReply = z.object({ spaces: z.array(space) })
export const usersReply = z.object({ users: z.array(teamUser) })
export const teamTokensReply = z.object({ tokens: z.array(teamToken) })
export const auditReply = z.object({ entries: z.array(auditEntry), next: z.int().nullable() })

export const newUser = z.strictObject({
  email,
  name: z.string().max(200).default(''),
  role: role.default('member'),
})
export const userChange = z.strictObject({
  name: z.string().max(200).optional(),
  /** In the space of the request; null removes them from it. */
  role: role.nullable().optional(),
  disabled: z.boolean().optional(),
})
export const newToken = z.strictObject({
  label: z.string('must say what it is for').min(1, 'must not be empty').max(200),
  scope: teamScope.default('ingest'),
  role: role.default('member'),
  /**
   * The owner. A token never has more rights than its owner and ends with them; null is a machine's
   * token.
   */
  user_id: z.string().min(1).max(200).nullable().default(null),
  /** Whole days from now; null never expires. */
  days: z.int().min(1, 'must be at least 1').max(3_650, 'must not be over 3650').nullable().default(null),
})
/** A token for the caller, so no owner is given. */
export const newOwnToken = newToken.omit({ user_id: true })
export const newSpace = z.strictObject({ name: spaceName })
export const spaceChoice = z.strictObject({ space: spaceName })
export const auditQuery = z.strictObject({
  /** Only entries before this one. */
  before: z.coerce.number<string>('must be a number').int().min(0).optional(),
  limit: z.coerce.number<string>('must be a number').int().min(1).max(500).default(100),
  actor: z.string().max(320).optional(),
  action: z.string().max(200).optional(),
})
export const newTokenReply = z.object({ token: z.string(), about: teamToken })

/** `GET /api/me`: who the page acts for. */
export const meReply = z.object({
  /** False on a single-user installation, where there are no people. */
  team: z.boolean(),
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }).nullable(),
  label: z.string(),
  role,
  /**
   * Authenticated by the token files of the computer that answers, so its local settings may be
   * changed.
   */
  home: z.boolean(),
  space: z.string(),
  /** The other spaces they may enter. */
  spaces: z.array(z.object({ name: z.string(), role })),
})
export type MeReply = z.infer<typeof meReply>
