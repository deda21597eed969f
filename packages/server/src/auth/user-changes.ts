import type { Team } from '@panoptes/engine/store'
import {
  FIRST_SPACE,
  failure,
  lowerRole,
  type newToken,
  type newUser,
  type Result,
  type Role,
  success,
  type TeamUser,
  type userChange,
} from '@panoptes/schema'
import type { z } from 'zod'

/**
 * What the admin learns after adding somebody to a space. It is the same whether or not the person was known in
 * other spaces.
 */
export const describeAddedUser = (
  { id }: TeamUser,
  { email, name, role }: z.infer<typeof newUser>,
  space: string,
): TeamUser => ({
  id,
  email,
  name,
  roles: { [space]: role },
  created_at: Date.now(),
  last_seen: null,
  disabled: false,
})

/**
 * What an admin of a space may change of its members. A name, and whether somebody may sign in, apply to every
 * space, so only admins of the first space may change them. Other admins are refused whether or not the person is
 * in another space, so that the answer does not reveal it.
 */
export async function changeUser(
  team: Team,
  space: string,
  id: string,
  { role, name, disabled }: z.infer<typeof userChange>,
): Promise<Result<TeamUser>> {
  const user = await findSpaceUser(team, space, id)
  if (!user.ok) return user
  if (name !== undefined || disabled !== undefined) {
    if (space !== FIRST_SPACE) return notInThisSpace
    const changed = await team.changeUser(id, { name, disabled, askedIn: space })
    if (!changed.ok) return changed
  }
  if (role !== undefined) {
    const put = await team.setRole(id, space, role)
    if (!put.ok) return put
  }
  const now = await team.user(id, space)
  return now.ok ? success(now.value ?? { ...user.value, roles: {} }) : now
}

const notInThisSpace = failure(
  'invalid',
  `A person’s name, and whether they may sign in, apply to every space. Only admins of the space ${FIRST_SPACE} can change them. You can change the person’s role here, or remove them from this space.`,
)

/** A person who is in no space stays on record, and cannot come back by themselves. */
export async function removeFromSpace(team: Team, space: string, id: string): Promise<Result<TeamUser>> {
  const user = await findSpaceUser(team, space, id)
  if (!user.ok) return user
  const out = await team.setRole(id, space, null)
  return out.ok ? user : out
}

const DAY_MS = 86_400_000

/** Computes the expiry time of a token that is valid for this many days. */
export const toExpiry = (days: number | null): number | null =>
  days === null ? null : Date.now() + days * DAY_MS

interface Owner {
  readonly role: Role
  readonly userId: string | null
  readonly email?: string
}

/** Who a new token belongs to and which role it has: never more than its owner's role in the space. */
export async function findTokenOwner(
  team: Team,
  space: string,
  { role, user_id: userId }: Pick<z.infer<typeof newToken>, 'role' | 'user_id'>,
): Promise<Result<Owner>> {
  if (userId === null) return success({ role, userId })
  const user = await findSpaceUser(team, space, userId)
  if (!user.ok) return user
  const { roles, email } = user.value
  return success({ role: lowerRole(role, roles[space] ?? role), userId, email })
}

async function findSpaceUser(team: Team, space: string, id: string): Promise<Result<TeamUser>> {
  const found = await team.user(id, space)
  if (!found.ok) return found
  return found.value ? success(found.value) : failure('not_found', 'Nobody in this space has this id.')
}
