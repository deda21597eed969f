import { setTimeout as wait } from 'node:timers/promises'
import {
  dropSpace,
  type Hubs,
  openHubs,
  type SeenHub,
  type SpaceHolds,
  spaceHolds,
} from '@panoptes/engine/store'
import { FIRST_SPACE, spaceName } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { columns, plural } from '../../terminal/format.ts'
import { dateTime } from '../sessions/format.ts'
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
  withTeam(context, options, async ({ team, recordAction }) => {
    const space = orFail(await team.createSpace(name), 'List spaces: panoptes team spaces list')
    await recordAction('spaces.create', name, name)
    context.output.answer(
      [
        `Created the space "${name}"`,
        `It has no people yet. Add an admin with: panoptes team users add EMAIL --role admin --space ${name}`,
      ],
      { ok: true, space },
    )
  })

export interface RemoveOptions extends TeamOptions {
  readonly yes?: boolean | undefined
}

/** Permanently deletes a space with its content. Running hubs close it first. */
export const removeSpace = (context: Context, name: string, options: RemoveOptions): Promise<void> =>
  withTeam(context, options, async ({ team, url, space, recordAction }) => {
    // An invalid space name could still match the schema of a space.
    if (!spaceName.safeParse(name).success) throw spaceNotFound(name)
    const isListed = orFail(await team.spaces()).some((each) => each.name === name)
    const holds = orFail(await spaceHolds({ url, space: name }))
    if (!isListed && holds === null) throw spaceNotFound(name)
    if (name === FIRST_SPACE)
      throw spaceStaysFailure('It is the first space.', 'Empty it with: panoptes forget')
    if (name === space)
      throw spaceStaysFailure(
        'It is the space of this computer.',
        'Set team.space in config.yaml to another space first.',
      )
    const hubs = orFail(await openHubs(url))
    try {
      const [own] = (await findServingHubs(hubs, name)).filter(({ spaces }) => spaces[0] === name)
      if (own) throw spaceStaysFailure(`The running hub at ${own.address} uses it.`, 'Stop that hub first.')
      if (holds !== null && isFull(holds) && !options.yes)
        throw new CommandFailure(`The space "${name}" contains ${describeStep(holds)}`, {
          code: 'not_empty',
          next: `Back it up with: panoptes backup FILE --space ${name}. To permanently delete it with its tokens and roles: panoptes team spaces remove ${name} --yes`,
        })
      if (isListed) {
        orFail(await team.removeSpace(name))
        await recordAction('spaces.remove', name, FIRST_SPACE)
      }
      const until = Date.now() + LET_GO_MS
      while ((await findServingHubs(hubs, name)).length > 0 && Date.now() < until) await wait(LOOK_MS)
    } finally {
      await hubs.close()
    }
    orFail(await dropSpace({ url, space: name }))
    const went = holds === null ? 'it was empty' : `deleted ${describeStep(holds)}`
    context.output.answer([`Removed the space "${name}": ${went}`], { ok: true, space: name, holds })
  })

/** A hub reports the spaces it serves every ten seconds and checks the list of spaces every three. */
const LET_GO_MS = 30_000
const LOOK_MS = 500
const SILENT_MS = 30_000

const findServingHubs = async (hubs: Pick<Hubs, 'list'>, name: string): Promise<readonly SeenHub[]> =>
  orFail(await hubs.list()).filter(
    ({ spaces, seen_ms_ago }) => seen_ms_ago < SILENT_MS && spaces.includes(name),
  )

const isFull = (holds: SpaceHolds): boolean => Object.values(holds).some((count) => count > 0)

const describeStep = ({ events, sessions, conversations }: SpaceHolds): string =>
  `${plural(events, 'event')}, ${plural(sessions, 'session')} and ${plural(conversations, 'conversation')}`

const spaceNotFound = (name: string): CommandFailure =>
  new CommandFailure(`No space is named "${name}"`, {
    code: 'not_found',
    next: 'List spaces: panoptes team spaces list',
  })

const spaceStaysFailure = (why: string, next: string): CommandFailure =>
  new CommandFailure(`This space cannot be removed. ${why}`, { code: 'invalid', next })
