import type { Team } from '@panoptes/engine/ledger'
import {
  FIRST_SPACE,
  failure,
  lowerRole,
  type newToken,
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

/** What an admin of a space may change of somebody who is in it. */
export async function changeUser(
  team: Team,
  space: string,
  id: string,
  { role, name, disabled }: z.infer<typeof userChange>,
): Promise<Result<TeamUser>> {
  const user = await userIn(team, space, id)
  if (!user.ok) return user
  const wholePerson = name !== undefined || disabled !== undefined
  // What is changed of a person holds in every space they are in.
  if (wholePerson && space !== FIRST_SPACE && isElsewhere(user.value, space))
    return failure(
      'invalid',
      'Their name, and whether they may sign in, hold beyond this space. Change their role here instead, or ask an admin of the space main.',
    )
  let now: Result<TeamUser> = user
  if (role !== undefined) now = await team.setRole(id, space, role)
  if (now.ok && wholePerson) now = await team.changeUser(id, { name, disabled })
  return now
}

/** Whoever is in no space any more is gone. */
export async function takeOut(team: Team, space: string, id: string): Promise<Result<TeamUser>> {
  const user = await userIn(team, space, id)
  if (!user.ok) return user
  if (isElsewhere(user.value, space)) return team.setRole(id, space, null)
  const removed = await team.removeUser(id)
  return removed.ok ? user : removed
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
export async function ownerOf(
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

const isElsewhere = (user: TeamUser, space: string): boolean =>
  Object.keys(user.roles).some((name) => name !== space)
