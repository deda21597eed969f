import { type AuditNote, openTeam, type Team } from '@panoptes/engine/ledger'
import { spaceName, type TeamUser } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { teamPlaceOf, wayOut } from '../../daemon/place.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'

export interface TeamOptions {
  readonly ledger?: string | undefined
  readonly space?: string | undefined
}

/** The team, and the space that is meant where none is named. */
export interface TeamAccess {
  readonly team: Team
  /** Of its database. */
  readonly url: string
  readonly space: string
  /** Writes down that the operator did it. */
  readonly noted: (action: string, target: string, space?: string | null) => Promise<void>
}

/** Asks the database itself: whoever has its address and password is the operator. */
export async function withTeam<T>(
  context: Context,
  options: TeamOptions,
  work: (access: TeamAccess) => Promise<T>,
): Promise<T> {
  const { config } = await loadConfig(context)
  const place = teamPlaceOf(context, config, options.ledger)
  const space = options.space ?? place.space
  const named = spaceName.safeParse(space)
  if (!named.success) throw wrong(`--space ${named.error.issues[0]?.message}`)
  const opened = await openTeam({ url: place.url })
  // A database that refuses says itself what it lacks.
  const team = orFail(
    opened,
    opened.ok || opened.code === 'denied' || opened.code === 'invalid' ? undefined : wayOut(place),
  )
  const noted: TeamAccess['noted'] = async (action, target, where = space) => {
    orFail(await team.note([operatorNote(action, target, where)]))
  }
  try {
    return await work({ team, url: place.url, space, noted })
  } finally {
    await team.close()
  }
}

/** What whoever has the database did, for the audit log. */
export const operatorNote = (action: string, target: string, space: string | null): AuditNote => ({
  actor: 'command line',
  user_id: null,
  token_id: null,
  space,
  action,
  target,
  outcome: 'done',
  address: null,
})

/** Somebody by their address. */
export async function personOf(team: Team, email: string): Promise<TeamUser> {
  const found = orFail(await team.findUser({ email }))
  if (found !== null) return found
  throw new CommandFailure(`There is nobody with the address ${email}`, {
    code: 'not_found',
    next: 'See who there is with: panoptes team users list --all',
  })
}

/** Spaces are made on purpose: a name that was mistyped is no new one. */
export async function orNoSpace({ team, space }: TeamAccess): Promise<void> {
  const spaces = orFail(await team.spaces())
  if (spaces.some(({ name }) => name === space)) return
  throw new CommandFailure(`There is no space "${space}"`, {
    code: 'not_found',
    next: `There are: ${spaces.map(({ name }) => name).join(', ')}. Make one with: panoptes team spaces add NAME`,
  })
}

export const wrong = (message: string): CommandFailure =>
  new CommandFailure(message, {
    code: 'usage',
    next: 'See how it is used with: panoptes team --help',
    exit: EXIT.usage,
  })
