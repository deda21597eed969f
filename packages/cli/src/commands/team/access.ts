import { type AuditNote, openTeam, type Team } from '@panoptes/engine/store'
import { spaceName, type TeamUser } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { teamPlaceOf, wayOut } from '../../daemon/place.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'

export interface TeamOptions {
  readonly store?: string | undefined
  readonly space?: string | undefined
}

/** The team and the default space. */
export interface TeamAccess {
  readonly team: Team
  /** The address of its database. */
  readonly url: string
  readonly space: string
  /** Records an action of the operator in the audit log. */
  readonly recordAction: (action: string, target: string, space?: string | null) => Promise<void>
}

/** Connects to the database directly. Anyone with its address and password is the operator. */
export async function withTeam<T>(
  context: Context,
  options: TeamOptions,
  work: (access: TeamAccess) => Promise<T>,
): Promise<T> {
  const { config } = await loadConfig(context)
  const place = teamPlaceOf(context, config, options.store)
  const space = options.space ?? place.space
  const named = spaceName.safeParse(space)
  if (!named.success) throw usageError(`--space ${named.error.issues[0]?.message}`)
  const opened = await openTeam({ url: place.url })
  // A database error already explains the problem.
  const team = orFail(
    opened,
    opened.ok || opened.code === 'denied' || opened.code === 'invalid' ? undefined : wayOut(place),
  )
  const recordAction: TeamAccess['recordAction'] = async (action, target, where = space) => {
    orFail(await team.note([operatorNote(action, target, where)]))
  }
  try {
    return await work({ team, url: place.url, space, recordAction })
  } finally {
    await team.close()
  }
}

/** An audit log entry for an action of the operator. */
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

/** Finds a person by email. */
export async function findPerson(team: Team, email: string): Promise<TeamUser> {
  const found = orFail(await team.findUser({ email }))
  if (found !== null) return found
  throw new CommandFailure(`No person has the email ${email}`, {
    code: 'not_found',
    next: 'List people: panoptes team users list --all',
  })
}

/** Only `spaces add` creates spaces, so a mistyped name is an error. */
export async function requireSpace({ team, space }: TeamAccess): Promise<void> {
  const spaces = orFail(await team.spaces())
  if (spaces.some(({ name }) => name === space)) return
  throw new CommandFailure(`No space is named "${space}"`, {
    code: 'not_found',
    next: `Available: ${spaces.map(({ name }) => name).join(', ')}. Create one with: panoptes team spaces add NAME`,
  })
}

export const usageError = (message: string): CommandFailure =>
  new CommandFailure(message, {
    code: 'usage',
    next: 'See the usage with: panoptes team --help',
    exit: EXIT.usage,
  })
