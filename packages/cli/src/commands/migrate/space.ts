import { hasData, openHubs, openTeam, spaceSchema, type Team } from '@panoptes/engine/store'
import { spaceName } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { placeOf } from '../../daemon/place.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import type { Output } from '../../terminal/output.ts'
import { loadConfig } from '../config.ts'
import { operatorNote } from '../team/access.ts'

export interface SpacePlace {
  readonly url: string
  readonly space: string
  readonly schema: string
}

/** The target space of a command. */
export async function resolveSpace(
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
      next: 'Correct it, or omit it to use the space from config.yaml.',
      exit: EXIT.usage,
    })
  return { url: place.url, space: named.data, schema: spaceSchema(named.data) }
}

/** Runs first, so that nobody stops hubs for an operation that cannot succeed. */
export async function refuseFilled(place: SpacePlace, next: string): Promise<void> {
  if (!orFail(await hasData(place))) return
  throw new CommandFailure(
    `The space ${place.space} already has data; only a new or empty space can be filled`,
    { code: 'invalid', next },
  )
}

const ALIVE_MS = 30_000

/** A hub that has the space open would continue with its cached state. */
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
      next: 'Stop the hubs, or choose another space with --space.',
      exit: EXIT.inUse,
    })
  } finally {
    await hubs.close()
  }
}

interface FinishedOperation {
  readonly action: 'migrate' | 'restore' | 'backup' | 'rebuild'
  readonly target: string
}

/** Records an operation in the audit log for the admins. The operation stands even if this fails. */
export async function printDone(
  { output }: Pick<Context, 'output'>,
  { url, space }: Pick<SpacePlace, 'url' | 'space'>,
  done: FinishedOperation,
): Promise<void> {
  const opened = await openTeam({ url })
  if (!opened.ok) return output.note(describeLostNote(done, opened.message))
  await recordOperation(opened.value, output, space, done)
  await opened.value.close()
}

async function recordOperation(
  team: Team,
  output: Output,
  space: string,
  done: FinishedOperation,
): Promise<void> {
  const noted = await team.note([operatorNote(done.action, done.target, space)])
  if (!noted.ok) output.note(describeLostNote(done, noted.message))
}

const describeLostNote = ({ action }: FinishedOperation, why: string): string =>
  `The ${action} succeeded, but could not be recorded in the audit log: ${why}`

/** Registers the space for hubs and the audit log. Explains how to add an admin if it has no people. */
export const makeSpace = (
  { output }: Pick<Context, 'output'>,
  { url, space }: SpacePlace,
  done: FinishedOperation,
): Promise<readonly string[]> =>
  withTeam(url, async (team) => {
    if (!(await spaceNames(team)).includes(space)) orFail(await team.createSpace(space))
    await recordOperation(team, output, space, done)
    if (orFail(await team.users(space)).length > 0) return []
    return [
      `The space ${space} has no people yet. Add an admin with: panoptes team init --email YOU@EXAMPLE.ORG --space ${space}`,
    ]
  })

/** Finds a person of the team by email. */
export const findPerson = (
  { url }: SpacePlace,
  email: string,
): Promise<{ readonly id: string; readonly name: string }> =>
  withTeam(url, async (team) => {
    const found = orFail(await team.findUser({ email }))
    if (found !== null) return { id: found.id, name: found.name || found.email }
    throw new CommandFailure(`No person has the email ${email}`, {
      code: 'not_found',
      next: `Add them with: panoptes team users add ${email}`,
    })
  })

/** A mistyped name must not create a new space. */
export const requireSpace = ({ url, space }: SpacePlace): Promise<void> =>
  withTeam(url, async (team) => {
    const spaces = await spaceNames(team)
    if (spaces.includes(space)) return
    throw new CommandFailure(`No space is named "${space}"`, {
      code: 'not_found',
      next: `Available: ${spaces.join(', ')}.`,
    })
  })

const spaceNames = async (team: Team): Promise<readonly string[]> =>
  orFail(await team.spaces()).map(({ name }) => name)

async function withTeam<T>(url: string, work: (team: Team) => Promise<T>): Promise<T> {
  const team = orFail(await openTeam({ url }))
  try {
    return await work(team)
  } finally {
    await team.close()
  }
}
