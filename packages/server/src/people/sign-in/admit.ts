import type { Team } from '@panoptes/engine/ledger'
import { type Config, FIRST_SPACE, type Result, success, type TeamUser } from '@panoptes/schema'
import type { Told } from './provider.ts'

type SignInConfig = NonNullable<Config['team']['sign_in']>

/** Whether somebody whom their provider knows may come in, and where to. */
export type Admitted =
  | { readonly user: TeamUser; readonly space: string }
  | { readonly because: 'unknown' | 'unverified' | 'disabled' | 'nowhere' }

export async function admit(team: Team, wanted: SignInConfig, told: Told): Promise<Result<Admitted>> {
  const found = await find(team, wanted, told)
  if (!found.ok) return found
  if ('because' in found.value) return success(found.value)
  const { user } = found.value
  if (user.disabled) return success({ because: 'disabled' })
  const spaces = Object.keys(user.roles).sort()
  const space = [wanted.space, FIRST_SPACE].find((name) => spaces.includes(name)) ?? spaces[0]
  return success(space === undefined ? { because: 'nowhere' } : { user, space })
}

type Known = { readonly user: TeamUser } | Extract<Admitted, { because: unknown }>

/** By what their provider calls them, which never changes hands; by their address only the first time. */
async function find(team: Team, wanted: SignInConfig, told: Told): Promise<Result<Known>> {
  const before = await team.findUser({ subject: told.subject })
  if (!before.ok) return before
  if (before.value) return success({ user: before.value })
  if (told.email === null) return success({ because: 'unknown' })
  if (!told.verified) return success({ because: 'unverified' })
  const named = await team.findUser({ email: told.email })
  if (!named.ok) return named
  if (!named.value && !isOf(wanted.domains, told.email)) return success({ because: 'unknown' })
  // Whoever was removed is not bound to an account either, until they are taken in again.
  if (named.value && Object.keys(named.value.roles).length === 0) return success({ because: 'nowhere' })
  const user = named.value ? success(named.value) : await comeIn(team, wanted, told.email, told.name)
  if (!user.ok) return user
  const linked = await team.linkUser(user.value.id, told.subject)
  if (!linked.ok) return linked.code === 'invalid' ? success({ because: 'unknown' }) : linked
  return success({ user: user.value })
}

async function comeIn(
  team: Team,
  { role, space }: SignInConfig,
  email: string,
  name: string,
): Promise<Result<TeamUser>> {
  const made = await team.createUser({ email, name: name.slice(0, 200) })
  return made.ok ? team.setRole(made.value.id, space, role) : made
}

const isOf = (domains: readonly string[], email: string): boolean => {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.some((each) => each.toLowerCase() === domain)
}
