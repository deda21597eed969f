import { type Role, role as roleSchema, type TeamUser } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { ask, canAsk } from '../../terminal/ask.ts'
import { columns } from '../../terminal/words.ts'
import { dateTime, plain } from '../sessions/words.ts'
import { orNoSpace, personOf, type TeamOptions, withTeam, wrong } from './access.ts'

export const listUsers = (
  context: Context,
  options: TeamOptions & { readonly all?: boolean },
): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space } = access
    if (!options.all) await orNoSpace(access)
    const users = orFail(await team.users(options.all ? undefined : space))
    const none = options.all ? 'Nobody is in the team yet' : `Nobody is in the space "${space}" yet`
    context.output.answer(users.length === 0 ? [none] : columns(users.map(rowOf)), { ok: true, users })
  })

const rowOf = ({ email, name, roles, last_seen, disabled }: TeamUser): readonly string[] => [
  plain(email, 60),
  plain(name, 40),
  Object.entries(roles)
    .map(([space, role]) => `${role} of ${space}`)
    .join(', ') || 'in no space',
  disabled ? 'disabled' : last_seen === null ? 'never here' : `here ${dateTime(last_seen)}`,
]

export interface AddOptions extends TeamOptions {
  readonly name?: string | undefined
  readonly role: Role
}

export const addUser = (context: Context, email: string, options: AddOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    await orNoSpace(access)
    const known = orFail(await team.findUser({ email }))
    if (known?.roles[space] !== undefined)
      throw new CommandFailure(`${known.email} is ${known.roles[space]} of the space "${space}" already`, {
        code: 'invalid',
        next: `Change that with: panoptes team users role ${known.email} ROLE --space ${space}`,
      })
    const { id } = known ?? orFail(await team.createUser({ email, name: options.name }))
    const user = orFail(await team.setRole(id, space, options.role))
    await noted('users.create', user.email)
    context.output.answer(
      [
        `${user.email} is now ${options.role} of the space "${space}"`,
        `They sign in with the team's provider, or with a token: panoptes team tokens create --user ${user.email} --scope full --role ${options.role} --label "their browser" --space ${space}`,
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
    const { team, space, noted } = access
    const parsed = wanted === 'none' ? null : roleSchema.safeParse(wanted).data
    if (parsed === undefined) throw wrong(`"${wanted}" is no role: it must be viewer, member, admin or none`)
    await orNoSpace(access)
    const { id } = await personOf(team, email)
    const user = orFail(await team.setRole(id, space, parsed), LAST_ADMIN)
    await noted('users.role', `${user.email}: ${parsed ?? 'none'}`)
    const said =
      parsed === null ? `no longer in the space "${space}"` : `now ${parsed} of the space "${space}"`
    context.output.answer([`${user.email} is ${said}`], { ok: true, user })
  })

const LAST_ADMIN = 'Make somebody an admin with: panoptes team users role EMAIL admin'

export const setDisabled = (
  context: Context,
  email: string,
  disabled: boolean,
  options: TeamOptions,
): Promise<void> =>
  withTeam(context, options, async ({ team, noted }) => {
    const { id } = await personOf(team, email)
    const user = orFail(await team.changeUser(id, { disabled }), LAST_ADMIN)
    await noted(disabled ? 'users.disable' : 'users.enable', user.email, null)
    context.output.answer(
      [
        disabled
          ? `${user.email} cannot come in any more, and their tokens are refused`
          : `${user.email} may come in again`,
      ],
      { ok: true, user },
    )
  })

export const removeUser = (
  context: Context,
  email: string,
  options: TeamOptions & { readonly yes?: boolean },
): Promise<void> =>
  withTeam(context, options, async ({ team, noted }) => {
    const user = await personOf(team, email)
    if (options.yes !== true && !(await agreed(user.email))) {
      context.output.answer(['Nobody was removed'], { ok: true, removed: null })
      return
    }
    orFail(await team.removeUser(user.id), LAST_ADMIN)
    await noted('users.remove', user.email, null)
    context.output.answer(
      [
        `${user.email} is in no space any more, and their tokens and sign-ins ended`,
        'They stay known by their address, so that they do not come in by themselves again, and what they did stays in the audit log.',
        `Added again they have their conversations back: panoptes team users add ${user.email}`,
      ],
      { ok: true, removed: user },
    )
  })

export const relinkUser = (context: Context, email: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async ({ team, noted }) => {
    const user = await personOf(team, email)
    orFail(await team.unlinkUser(user.id))
    await noted('users.relink', user.email, null)
    context.output.answer(
      [
        `The next account that signs in with ${user.email} is theirs, with their role, their conversations and what is remembered of them`,
        'Their browsers have to sign in anew; their tokens stay good.',
      ],
      { ok: true, user },
    )
  })

async function agreed(email: string): Promise<boolean> {
  if (canAsk()) return ask(`Take ${email} out of every space, and end all their tokens?`)
  throw new CommandFailure(`${email} would be taken out of every space, and all their tokens would end`, {
    code: 'needs_yes',
    next: 'Say --yes to do it.',
    exit: EXIT.usage,
  })
}
