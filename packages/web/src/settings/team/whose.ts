import type { Role, TeamToken, TeamUser } from '@panoptes/schema'
import { ROLES } from '../../api/me.ts'

interface Owner {
  readonly id: string
  readonly email: string
  readonly role: Role
}

/** Of whom a token can be: of everybody in the space who may sign in. */
export const ownersOf = (users: readonly TeamUser[], space: string): readonly Owner[] =>
  users.flatMap(({ id, email, disabled, roles }) => {
    const role = roles[space]
    return disabled || role === undefined ? [] : [{ id, email, role }]
  })

/** What a token of somebody with this role may act as, the most last. */
export const rolesUpTo = (role: Role): readonly Role[] => ROLES.slice(0, ROLES.indexOf(role) + 1)

/** What a token can be for. By more than events whoever made it could act as somebody else, so a hub refuses that. */
export const scopesFor = (isOthers: boolean): readonly TeamToken['scope'][] =>
  isOthers ? ['ingest'] : ['ingest', 'full', 'gateway']
