import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { orNoSpace, type TeamOptions, withTeam } from './access.ts'
import { endOf, toldOnce } from './tokens.ts'

export interface InitOptions extends TeamOptions {
  readonly email: string
  readonly name?: string | undefined
  readonly days?: number | undefined
}

/** The first admin of a team, with a token to come in by. */
export const init = (context: Context, options: InitOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    if (space !== 'main' && options.space === undefined) {
      const spaces = orFail(await team.spaces())
      if (!spaces.some(({ name }) => name === space)) orFail(await team.createSpace(space))
    }
    await orNoSpace(access)
    const there = orFail(await team.users(space)).find(
      ({ roles, disabled }) => roles[space] === 'admin' && !disabled,
    )
    if (there !== undefined)
      throw new CommandFailure(`The space "${space}" has an admin already: ${there.email}`, {
        code: 'invalid',
        next: `Make them another token with: panoptes team tokens create --user ${there.email} --scope full --role admin --label "my browser"`,
      })
    const known = orFail(await team.findUser({ email: options.email }))
    const { id } = known ?? orFail(await team.createUser(options))
    const user = orFail(await team.setRole(id, space, 'admin'))
    await noted('users.create', user.email)
    const label = `first token of ${user.email}`.slice(0, 200)
    const made = orFail(
      await team.createToken({
        label,
        space,
        scope: 'full',
        role: 'admin',
        userId: id,
        expiresAt: endOf(options.days),
      }),
    )
    await noted('tokens.create', label)
    context.output.answer(
      [
        `The team is made. ${user.email} is the admin of the space "${space}".`,
        ...toldOnce(made.token),
        'Start a hub with: panoptes up --ledger postgres://…',
        'Its page asks for this token once, and keeps it in a cookie.',
      ],
      { ok: true, space, user, token: made.token, about: made.about },
    )
  })
