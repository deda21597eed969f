import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { requireSpace, type TeamOptions, withTeam } from './access.ts'
import { toExpiry, tokenLines } from './tokens.ts'

export interface InitOptions extends TeamOptions {
  readonly email: string
  readonly name?: string | undefined
  readonly days?: number | undefined
}

/** Creates the first admin of a team and their token. */
export const init = (context: Context, options: InitOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, recordAction } = access
    if (space !== 'main' && options.space === undefined) {
      const spaces = orFail(await team.spaces())
      if (!spaces.some(({ name }) => name === space)) orFail(await team.createSpace(space))
    }
    await requireSpace(access)
    const there = orFail(await team.users(space)).find(
      ({ roles, disabled }) => roles[space] === 'admin' && !disabled,
    )
    if (there !== undefined)
      throw new CommandFailure(`The space "${space}" already has an admin: ${there.email}`, {
        code: 'invalid',
        next: `Create another token for them with: panoptes team tokens create --user ${there.email} --scope full --role admin --label "my browser"`,
      })
    const existing = orFail(await team.findUser({ email: options.email }))
    const { id } = existing ?? orFail(await team.createUser(options))
    const user = orFail(await team.setRole(id, space, 'admin'))
    await recordAction('users.create', user.email)
    const label = `first token of ${user.email}`.slice(0, 200)
    const made = orFail(
      await team.createToken({
        label,
        space,
        scope: 'full',
        role: 'admin',
        userId: id,
        expiresAt: toExpiry(options.days),
      }),
    )
    await recordAction('tokens.create', label)
    context.output.answer(
      [
        `Created the team. ${user.email} is the admin of the space "${space}".`,
        ...tokenLines(made.token),
        'Start a hub with: panoptes up --store postgres://…',
        'The page asks for this token once and stores it in a cookie.',
      ],
      { ok: true, space, user, token: made.token, about: made.about },
    )
  })
