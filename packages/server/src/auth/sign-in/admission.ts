import type { Team } from '@panoptes/engine/store'
import { type Config, FIRST_SPACE, type Result, success, type TeamUser } from '@panoptes/schema'
import type { UserClaims } from './provider.ts'

type SignInConfig = NonNullable<Config['team']['sign_in']>

/** Decides whether somebody whom the provider knows may sign in, and to which space. */
export type Admission =
  | { readonly user: TeamUser; readonly space: string }
  /** The spaces of the person, if they are known. */
  | {
      readonly because: 'unknown' | 'unverified' | 'disabled' | 'nowhere'
      readonly spaces?: readonly string[]
    }

export async function admit(
  team: Team,
  wanted: SignInConfig,
  claims: UserClaims,
): Promise<Result<Admission>> {
  const found = await findPerson(team, wanted, claims)
  if (!found.ok) return found
  if ('because' in found.value) return success(found.value)
  const { user } = found.value
  const spaces = Object.keys(user.roles).sort()
  if (user.disabled) return success({ because: 'disabled', spaces })
  const space = [wanted.space, FIRST_SPACE].find((name) => spaces.includes(name)) ?? spaces[0]
  return success(space === undefined ? { because: 'nowhere' } : { user, space })
}

type UserMatch = { readonly user: TeamUser } | Extract<Admission, { because: unknown }>

/**
 * Finds a person by the provider's subject, which never passes to anybody else; by email address only at the first
 * sign-in.
 */
async function findPerson(team: Team, wanted: SignInConfig, claims: UserClaims): Promise<Result<UserMatch>> {
  const before = await team.findUser({ subject: claims.subject })
  if (!before.ok) return before
  if (before.value) return success({ user: before.value })
  if (claims.email === null) return success({ because: 'unknown' })
  if (!claims.verified) return success({ because: 'unverified' })
  const named = await team.findUser({ email: claims.email })
  if (!named.ok) return named
  if (!named.value && !isInDomain(wanted.domains, claims.email)) return success({ because: 'unknown' })
  // A person who was removed is not bound to an account again until an admin adds them back.
  if (named.value && Object.keys(named.value.roles).length === 0) return success({ because: 'nowhere' })
  const user = named.value ? success(named.value) : await addUser(team, wanted, claims.email, claims.name)
  if (!user.ok) return user
  const linked = await team.linkUser(user.value.id, claims.subject)
  if (!linked.ok) return linked.code === 'invalid' ? success({ because: 'unknown' }) : linked
  return success({ user: user.value })
}

async function addUser(
  team: Team,
  { role, space }: SignInConfig,
  email: string,
  name: string,
): Promise<Result<TeamUser>> {
  const made = await team.createUser({ email, name: name.slice(0, 200) })
  return made.ok ? team.setRole(made.value.id, space, role) : made
}

const isInDomain = (domains: readonly string[], email: string): boolean => {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.some((each) => each.toLowerCase() === domain)
}
