import { setTimeout as wait } from 'node:timers/promises'
import {
  dropSpace,
  type Hubs,
  openHubs,
  type SeenHub,
  type SpaceHolds,
  spaceHolds,
} from '@panoptes/engine/ledger'
import { FIRST_SPACE, spaceName } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { columns, counted } from '../../terminal/words.ts'
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

export interface RemoveOptions extends TeamOptions {
  readonly yes?: boolean | undefined
}

/** For good, with all that it holds. Hubs that run let go of it first. */
export const removeSpace = (context: Context, name: string, options: RemoveOptions): Promise<void> =>
  withTeam(context, options, async ({ team, url, space, noted }) => {
    // What is no name of a space may still be that of a space's schema.
    if (!spaceName.safeParse(name).success) throw noSpace(name)
    const isKnown = orFail(await team.spaces()).some((each) => each.name === name)
    const holds = orFail(await spaceHolds({ url, space: name }))
    if (!isKnown && holds === null) throw noSpace(name)
    if (name === FIRST_SPACE) throw stays('It is the first one.', 'Empty it with: panoptes forget')
    if (name === space)
      throw stays('It is the one of this computer.', 'Name another in team.space of config.yaml first.')
    const hubs = orFail(await openHubs(url))
    try {
      const [own] = (await servedBy(hubs, name)).filter(({ spaces }) => spaces[0] === name)
      if (own) throw stays(`It is the one of the hub at ${own.address}, which runs.`, 'Stop that hub first.')
      if (holds !== null && isFull(holds) && !options.yes)
        throw new CommandFailure(`The space "${name}" holds ${wordsFor(holds)}`, {
          code: 'not_empty',
          next: `Keep a backup with: panoptes backup FILE --space ${name}. To remove it all for good, with its tokens and the roles of its people: panoptes team spaces remove ${name} --yes`,
        })
      if (isKnown) {
        orFail(await team.removeSpace(name))
        await noted('spaces.remove', name, FIRST_SPACE)
      }
      const until = Date.now() + LET_GO_MS
      while ((await servedBy(hubs, name)).length > 0 && Date.now() < until) await wait(LOOK_MS)
    } finally {
      await hubs.close()
    }
    orFail(await dropSpace({ url, space: name }))
    const went = holds === null ? 'nothing was in it' : `${wordsFor(holds)} went with it`
    context.output.answer([`Removed the space "${name}": ${went}`], { ok: true, space: name, holds })
  })

/** A hub says every ten seconds what it serves, and looks every three which spaces there are. */
const LET_GO_MS = 30_000
const LOOK_MS = 500
const SILENT_MS = 30_000

const servedBy = async (hubs: Pick<Hubs, 'list'>, name: string): Promise<readonly SeenHub[]> =>
  orFail(await hubs.list()).filter(
    ({ spaces, seen_ms_ago }) => seen_ms_ago < SILENT_MS && spaces.includes(name),
  )

const isFull = (holds: SpaceHolds): boolean => Object.values(holds).some((count) => count > 0)

const wordsFor = ({ events, sessions, conversations }: SpaceHolds): string =>
  `${counted(events, 'event')}, ${counted(sessions, 'session')} and ${counted(conversations, 'conversation')}`

const noSpace = (name: string): CommandFailure =>
  new CommandFailure(`There is no space "${name}"`, {
    code: 'not_found',
    next: 'See which there are with: panoptes team spaces list',
  })

const stays = (why: string, next: string): CommandFailure =>
  new CommandFailure(`This space cannot be removed. ${why}`, { code: 'invalid', next })
