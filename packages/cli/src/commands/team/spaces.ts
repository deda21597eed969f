import type { Context } from '../../context.ts'
import { orFail } from '../../failure.ts'
import { columns } from '../../terminal/words.ts'
import { dateTime } from '../sessions/words.ts'
import { type TeamOptions, withTeam } from './access.ts'

export const listSpaces = (context: Context, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async ({ team, space }) => {
    const spaces = orFail(await team.spaces())
    const rows = spaces.map(({ name, created_at }) => [
      name,
      `since ${dateTime(created_at)}`,
      name === space ? 'of this computer' : '',
    ])
    context.output.answer(columns(rows), { ok: true, spaces })
  })

export const addSpace = (context: Context, name: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async ({ team, noted }) => {
    const space = orFail(await team.createSpace(name), 'See which there are with: panoptes team spaces list')
    await noted('spaces.create', name, name)
    context.output.answer(
      [
        `Made the space "${name}"`,
        `Nobody is in it yet. Give it an admin with: panoptes team users add EMAIL --role admin --space ${name}`,
      ],
      { ok: true, space },
    )
  })
