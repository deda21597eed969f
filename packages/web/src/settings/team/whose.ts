import type { Role, TeamToken, TeamUser } from '@panoptes/schema'
import { FOR_OTHERS } from '@panoptes/schema/reading'
import { ROLES } from '../../api/me.ts'

interface Owner {
  readonly id: string
  readonly email: string
  readonly role: Role
}

/** Of whom a token can be: of oneself, and of everybody else in the space who may sign in and send. */
export const ownersOf = (
  users: readonly TeamUser[],
  space: string,
  me: string | undefined,
): readonly Owner[] =>
  users.flatMap(({ id, email, disabled, roles }) => {
    const role = roles[space]
    const canBe = role !== undefined && !disabled && (id === me || role !== 'viewer')
    return canBe ? [{ id, email, role }] : []
  })

/** What a token of somebody with this role may act as, the most last. Who only reads sends nothing. */
export const rolesUpTo = (role: Role, scope: TeamToken['scope']): readonly Role[] =>
  ROLES.slice(scope === 'full' || scope === 'metrics' ? 0 : 1, ROLES.indexOf(role) + 1)

/** What a token can be for. By more than events whoever made it could act as somebody else, so a hub refuses that. */
export function scopesFor(role: Role, isOthers: boolean): readonly TeamToken['scope'][] {
  if (isOthers) return FOR_OTHERS
  return role === 'viewer' ? ['full', 'metrics'] : ['ingest', 'full', 'gateway', 'metrics']
}
