import type { Team } from '@panoptes/engine/ledger'
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

/** As an admin of one space may see somebody: where else they are is not told. */
export const inSpaceOnly = (user: TeamUser, space: string): TeamUser => ({
  ...user,
  roles: Object.fromEntries(Object.entries(user.roles).filter(([name]) => name === space)),
})

/** What is told of somebody whom an admin took into a space: the same whether or not they were known elsewhere. */
export const justAdded = (
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

/** What an admin of a space may change of somebody who is in it. */
export async function changeUser(
  team: Team,
  space: string,
  id: string,
  { role, name, disabled }: z.infer<typeof userChange>,
): Promise<Result<TeamUser>> {
  const user = await userIn(team, space, id)
  if (!user.ok) return user
  let now: Result<TeamUser> = user
  // What is changed of a person holds in every space they are in.
  const onlyIn = space === FIRST_SPACE ? undefined : space
  if (name !== undefined || disabled !== undefined)
    now = await team.changeUser(id, { name, disabled, onlyIn })
  return now.ok && role !== undefined ? team.setRole(id, space, role) : now
}

/** Whoever is in no space any more stays known, and does not come in by themselves. */
export async function takeOut(team: Team, space: string, id: string): Promise<Result<TeamUser>> {
  const user = await userIn(team, space, id)
  return user.ok ? team.setRole(id, space, null) : user
}

const DAY_MS = 86_400_000

/** When a token ends that is to last so many days. */
export const endOf = (days: number | null): number | null =>
  days === null ? null : Date.now() + days * DAY_MS

interface Owner {
  readonly role: Role
  readonly userId: string | null
  readonly email?: string
}

/** Whose a new token is, and what it may act as: of a person never more than they are in the space. */
export async function ownerOfToken(
  team: Team,
  space: string,
  { role, user_id: userId }: Pick<z.infer<typeof newToken>, 'role' | 'user_id'>,
): Promise<Result<Owner>> {
  if (userId === null) return success({ role, userId })
  const user = await userIn(team, space, userId)
  if (!user.ok) return user
  const { roles, email } = user.value
  return success({ role: lowerRole(role, roles[space] ?? role), userId, email })
}

async function userIn(team: Team, space: string, id: string): Promise<Result<TeamUser>> {
  const found = await team.user(id)
  if (!found.ok) return found
  return found.value && Object.hasOwn(found.value.roles, space)
    ? success(found.value)
    : failure('not_found', 'There is nobody of this id in the space.')
}
