import { z } from 'zod'
import { timestamp } from './time.ts'

/** What somebody may do in a space: look, work, or decide who else may. Each may do what those before it may. */
export const ROLES = ['viewer', 'member', 'admin'] as const
export const role = z.enum(ROLES, 'must be viewer, member or admin')
export type Role = z.infer<typeof role>

export const mayAs = (has: Role, needs: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needs)

export const lowerRole = (one: Role, other: Role): Role => (mayAs(one, other) ? other : one)

/** What a token is for; people sign in with `full`, machines mostly have `ingest`, and who only watches the figures `metrics`. */
export const teamScope = z.enum(
  ['full', 'ingest', 'gateway', 'metrics'],
  'must be full, ingest, gateway or metrics',
)

/** A team's own part of everything: nothing of one is ever seen in another. */
export const spaceName = z
  .string('must be the name of a space')
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must begin with a letter, then a-z, 0-9 or -, at most 40 of them')

/** There from the beginning; what is about all spaces is decided by its admins. */
export const FIRST_SPACE = 'main'

export const space = z.object({ name: spaceName, created_at: timestamp })
export type Space = z.infer<typeof space>

const email = z
  .string('must be an e-mail address')
  .regex(/^[^@\s\p{C}]+@[^@\s\p{C}]+$/u, 'must be an e-mail address')
  .max(320)

/** A person of the team, with a role in each space that they are in. */
export const teamUser = z.object({
  id: z.string(),
  email,
  name: z.string(),
  roles: z.record(spaceName, role),
  created_at: timestamp,
  /** Null while they were never here. */
  last_seen: timestamp.nullable(),
  /** Whoever is disabled cannot sign in, and their tokens are refused. */
  disabled: z.boolean(),
})
export type TeamUser = z.infer<typeof teamUser>

/** What is known of a token; the token itself is told once, when it is made. */
export const teamToken = z.object({
  id: z.string(),
  /** Its first letters, by which it is recognised. */
  hint: z.string(),
  label: z.string(),
  space: spaceName,
  scope: teamScope,
  role,
  /** Whose it is; null for a machine's. */
  user_id: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  last_used: timestamp.nullable(),
  /** The computer that last sent something with it, as it calls itself, and when; null while none has. */
  host: z.string().nullable(),
  host_seen: timestamp.nullable(),
})
export type TeamToken = z.infer<typeof teamToken>

/** Something that somebody did, or tried to. */
export const auditEntry = z.object({
  id: z.int(),
  ts: timestamp,
  /** Who it was, as a person reads it: an address, or the label of a token; null where nobody was known. */
  actor: z.string().nullable(),
  user_id: z.string().nullable(),
  token_id: z.string().nullable(),
  space: z.string().nullable(),
  action: z.string(),
  /** What it was done to. */
  target: z.string().nullable(),
  outcome: z.enum(['done', 'refused', 'failed']),
  address: z.string().nullable(),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** Who calls, once a token or a sign-in was looked up. */
export const identity = z.object({
  user_id: z.string().nullable(),
  token_id: z.string().nullable(),
  /** As a person reads it. */
  label: z.string(),
  space: spaceName,
  scope: teamScope,
  role,
  /** When what they showed ends; null where it does not. */
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
  /** In the space that is asked; null takes them out of it. */
  role: role.nullable().optional(),
  disabled: z.boolean().optional(),
})
export const newToken = z.strictObject({
  label: z.string('must say what it is for').min(1, 'must not be empty').max(200),
  scope: teamScope.default('ingest'),
  role: role.default('member'),
  /** Whose it is: then it has never more than their role, and ends with them; null is a machine's. */
  user_id: z.string().min(1).max(200).nullable().default(null),
  /** Whole days from now; null never ends. */
  days: z.int().min(1, 'must be at least 1').max(3_650, 'must not be over 3650').nullable().default(null),
})
/** A token of whoever asks: whose it is is not asked. */
export const newOwnToken = newToken.omit({ user_id: true })
export const newSpace = z.strictObject({ name: spaceName })
export const spaceChoice = z.strictObject({ space: spaceName })
export const auditAsked = z.strictObject({
  /** Only those before this one. */
  before: z.coerce.number<string>('must be a number').int().min(0).optional(),
  limit: z.coerce.number<string>('must be a number').int().min(1).max(500).default(100),
  actor: z.string().max(320).optional(),
  action: z.string().max(200).optional(),
})
export const newTokenReply = z.object({ token: z.string(), about: teamToken })

/** `GET /api/me`: who the page is talking for. */
export const meReply = z.object({
  /** False on a computer of one's own: there are no people then. */
  team: z.boolean(),
  user: z.object({ id: z.string(), email: z.string(), name: z.string() }).nullable(),
  label: z.string(),
  role,
  /** By the token files of the computer that answers: what is on it is theirs to change. */
  home: z.boolean(),
  space: z.string(),
  /** Where else they may go. */
  spaces: z.array(z.object({ name: z.string(), role })),
})
export type MeReply = z.infer<typeof meReply>
