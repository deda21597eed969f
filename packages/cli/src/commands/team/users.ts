import { type Role, role as roleSchema, type TeamUser } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import { ask, canAsk } from '../../terminal/confirm.ts'
import { columns } from '../../terminal/format.ts'
import { dateTime, plain } from '../sessions/format.ts'
import { findPerson, requireSpace, type TeamOptions, usageError, withTeam } from './access.ts'

export const listUsers = (
  context: Context,
  options: TeamOptions & { readonly all?: boolean },
): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space } = access
    if (!options.all) await requireSpace(access)
    const users = orFail(await team.users(options.all ? undefined : space))
    const none = options.all ? 'The team has no people yet' : `The space "${space}" has no people yet`
    context.output.answer(users.length === 0 ? [none] : columns(users.map(userRow)), { ok: true, users })
  })

const userRow = ({ email, name, roles, last_seen, disabled }: TeamUser): readonly string[] => [
  plain(email, 60),
  plain(name, 40),
  Object.entries(roles)
    .map(([space, role]) => `${role} of ${space}`)
    .join(', ') || 'in no space',
  disabled ? 'disabled' : last_seen === null ? 'never signed in' : `last seen ${dateTime(last_seen)}`,
]

export interface AddOptions extends TeamOptions {
  readonly name?: string | undefined
  readonly role: Role
}

export const addUser = (context: Context, email: string, options: AddOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, recordAction } = access
    await requireSpace(access)
    const existing = orFail(await team.findUser({ email }))
    if (existing?.roles[space] !== undefined)
      throw new CommandFailure(
        `${existing.email} is already ${existing.roles[space]} of the space "${space}"`,
        {
          code: 'invalid',
          next: `Change the role with: panoptes team users role ${existing.email} ROLE --space ${space}`,
        },
      )
    const { id } = existing ?? orFail(await team.createUser({ email, name: options.name }))
    const user = orFail(await team.setRole(id, space, options.role))
    await recordAction('users.create', user.email)
    context.output.answer(
      [
        `${user.email} is now ${options.role} of the space "${space}"`,
        `They sign in with the team's identity provider, or with a token: panoptes team tokens create --user ${user.email} --scope full --role ${options.role} --label "their browser" --space ${space}`,
      ],
      { ok: true, user },
    )
  })

export const changeRole = (
  context: Context,
  email: string,
  wanted: string,
  options: TeamOptions,
): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, recordAction } = access
    const parsed = wanted === 'none' ? null : roleSchema.safeParse(wanted).data
    if (parsed === undefined) throw usageError(`"${wanted}" is not a role: use viewer, member, admin or none`)
    await requireSpace(access)
    const { id } = await findPerson(team, email)
    const user = orFail(await team.setRole(id, space, parsed), LAST_ADMIN)
    await recordAction('users.role', `${user.email}: ${parsed ?? 'none'}`)
    const change =
      parsed === null ? `no longer in the space "${space}"` : `now ${parsed} of the space "${space}"`
    context.output.answer([`${user.email} is ${change}`], { ok: true, user })
  })

const LAST_ADMIN = 'Make someone else an admin with: panoptes team users role EMAIL admin'

export const setDisabled = (
  context: Context,
  email: string,
  disabled: boolean,
  options: TeamOptions,
): Promise<void> =>
  withTeam(context, options, async ({ team, recordAction }) => {
    const { id } = await findPerson(team, email)
    const user = orFail(await team.changeUser(id, { disabled }), LAST_ADMIN)
    await recordAction(disabled ? 'users.disable' : 'users.enable', user.email, null)
    context.output.answer(
      [disabled ? `Disabled ${user.email}; their tokens are refused` : `Enabled ${user.email}`],
      { ok: true, user },
    )
  })

export const removeUser = (
  context: Context,
  email: string,
  options: TeamOptions & { readonly yes?: boolean },
): Promise<void> =>
  withTeam(context, options, async ({ team, recordAction }) => {
    const user = await findPerson(team, email)
    if (options.yes !== true && !(await confirmRemoval(user.email))) {
      context.output.answer(['Nobody was removed'], { ok: true, removed: null })
      return
    }
    orFail(await team.removeUser(user.id), LAST_ADMIN)
    await recordAction('users.remove', user.email, null)
    context.output.answer(
      [
        `Removed ${user.email} from every space and ended their tokens and sign-ins`,
        'Their record stays, so they cannot rejoin by signing in, and the audit log keeps their actions.',
        `To add them again, with their conversations: panoptes team users add ${user.email}`,
      ],
      { ok: true, removed: user },
    )
  })

export const relinkUser = (context: Context, email: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async ({ team, recordAction }) => {
    const user = await findPerson(team, email)
    orFail(await team.unlinkUser(user.id))
    await recordAction('users.relink', user.email, null)
    context.output.answer(
      [
        `The next account that signs in with ${user.email} gets their role, conversations and remembered facts`,
        'Their browsers must sign in again; their tokens stay valid.',
      ],
      { ok: true, user },
    )
  })

async function confirmRemoval(email: string): Promise<boolean> {
  if (canAsk()) return ask(`Remove ${email} from every space and revoke all their tokens?`)
  throw new CommandFailure(`This would remove ${email} from every space and revoke all their tokens`, {
    code: 'needs_yes',
    next: 'To confirm, pass --yes.',
    exit: EXIT.usage,
  })
}
