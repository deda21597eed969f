import { hasData, openHubs, openTeam, schemaOf, type Team } from '@panoptes/engine/ledger'
import { spaceName } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { placeOf } from '../../daemon/place.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import type { Output } from '../../terminal/output.ts'
import { loadConfig } from '../config.ts'
import { operatorNote } from '../team/access.ts'

export interface SpacePlace {
  readonly url: string
  readonly space: string
  readonly schema: string
}

/** The space of a database that a command is to fill. */
export async function spaceOf(
  context: Context,
  { address, space }: { readonly address?: string | undefined; readonly space?: string | undefined },
): Promise<SpacePlace | null> {
  const { config } = await loadConfig(context)
  const place = placeOf(context, config, address)
  if (place.kind === 'sqlite') return null
  const named = spaceName.safeParse(space ?? place.space)
  if (!named.success)
    throw new CommandFailure(`--space ${named.error.issues[0]?.message ?? 'must be the name of a space'}`, {
      code: 'usage',
      next: 'Correct it, or leave it out for the space that config.yaml names.',
      exit: EXIT.usage,
    })
  return { url: place.url, space: named.data, schema: schemaOf(named.data) }
}

/** Looked at first: to stop hubs for what cannot be done anyway is in vain. */
export async function refuseFilled(place: SpacePlace, next: string): Promise<void> {
  if (!orFail(await hasData(place))) return
  throw new CommandFailure(
    `The space ${place.space} has data already, and only a new or an empty one can be filled`,
    { code: 'invalid', next },
  )
}

const ALIVE_MS = 30_000

/** A hub that has the space open would go on with what it remembers of it. */
export async function refuseHubs({ url, space }: SpacePlace): Promise<void> {
  const hubs = orFail(await openHubs(url))
  try {
    const alive = orFail(await hubs.list()).filter(
      ({ seen_ms_ago, spaces }) => seen_ms_ago < ALIVE_MS && spaces.includes(space),
    )
    if (alive.length === 0) return
    const names = alive.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ')
    throw new CommandFailure(`The space ${space} is open in a hub: ${names}`, {
      code: 'in_use',
      next: 'Stop the hubs, or name another space with --space.',
      exit: EXIT.inUse,
    })
  } finally {
    await hubs.close()
  }
}

interface Done {
  readonly action: 'migrate' | 'restore' | 'backup' | 'rebuild'
  readonly target: string
}

/** Writes down what was done to a space, so that its admins know. What is done is done, also where this fails. */
export async function noteDone(
  { output }: Pick<Context, 'output'>,
  { url, space }: Pick<SpacePlace, 'url' | 'space'>,
  done: Done,
): Promise<void> {
  const opened = await openTeam({ url })
  if (!opened.ok) return output.note(unwritten(done, opened.message))
  await noteIn(opened.value, output, space, done)
  await opened.value.close()
}

async function noteIn(team: Team, output: Output, space: string, done: Done): Promise<void> {
  const noted = await team.note([operatorNote(done.action, done.target, space)])
  if (!noted.ok) output.note(unwritten(done, noted.message))
}

const unwritten = ({ action }: Done, why: string): string =>
  `The ${action} is done, but was not written into the audit log: ${why}`

/** So that hubs open the space, and its admins know. Says how somebody comes in, where nobody is in it yet. */
export const makeSpace = (
  { output }: Pick<Context, 'output'>,
  { url, space }: SpacePlace,
  done: Done,
): Promise<readonly string[]> =>
  withTeam(url, async (team) => {
    if (!(await spacesOf(team)).includes(space)) orFail(await team.createSpace(space))
    await noteIn(team, output, space, done)
    if (orFail(await team.users(space)).length > 0) return []
    return [
      `Nobody is in the space ${space} yet. Give it an admin with: panoptes team init --email YOU@EXAMPLE.ORG --space ${space}`,
    ]
  })

/** Somebody of the team by their address. */
export const personOf = (
  { url }: SpacePlace,
  email: string,
): Promise<{ readonly id: string; readonly name: string }> =>
  withTeam(url, async (team) => {
    const found = orFail(await team.findUser({ email }))
    if (found !== null) return { id: found.id, name: found.name || found.email }
    throw new CommandFailure(`There is nobody with the address ${email}`, {
      code: 'not_found',
      next: `Add them first with: panoptes team users add ${email}`,
    })
  })

/** A name that was mistyped is no new space. */
export const orNoSpace = ({ url, space }: SpacePlace): Promise<void> =>
  withTeam(url, async (team) => {
    const spaces = await spacesOf(team)
    if (spaces.includes(space)) return
    throw new CommandFailure(`There is no space "${space}"`, {
      code: 'not_found',
      next: `There are: ${spaces.join(', ')}.`,
    })
  })

const spacesOf = async (team: Team): Promise<readonly string[]> =>
  orFail(await team.spaces()).map(({ name }) => name)

async function withTeam<T>(url: string, work: (team: Team) => Promise<T>): Promise<T> {
  const team = orFail(await openTeam({ url }))
  try {
    return await work(team)
  } finally {
    await team.close()
  }
}
