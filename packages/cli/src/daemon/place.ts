import { existsSync } from 'node:fs'
import type { LedgerPlace } from '@panoptes/engine/ledger'
import { busAddress, type Config, ledgerAddress } from '@panoptes/schema'
import { loadConfig } from '../commands/config.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'

type Home = Pick<Context, 'env' | 'paths'>

/** Where the ledger of a home is: what was typed goes before the environment, and that before config.yaml. */
export function placeOf({ env, paths }: Home, { team }: Config, typed?: string): LedgerPlace {
  const url =
    right('--ledger', typed, ledgerAddress) ??
    right('PANOPTES_LEDGER in the environment', env.PANOPTES_LEDGER || undefined, ledgerAddress) ??
    team.ledger
  return url === null ? { kind: 'sqlite', file: paths.ledger } : { kind: 'postgres', url, space: team.space }
}

/** Of a home that is a hub's: a team is nowhere but in a database. */
export function teamPlaceOf(
  home: Home,
  config: Config,
  typed?: string,
): Extract<LedgerPlace, { kind: 'postgres' }> {
  const place = placeOf(home, config, typed)
  if (place.kind === 'postgres') return place
  throw new CommandFailure('A team needs a PostgreSQL database, and none is named', {
    code: 'no_team',
    next: 'Name it with --ledger postgres://…, PANOPTES_LEDGER, or team.ledger in config.yaml.',
    exit: EXIT.usage,
  })
}

/** Where events go before they are in the ledger; most have none. */
export const busOf = ({ env }: Pick<Context, 'env'>, { team }: Config, typed?: string): string | null =>
  right('--bus', typed, busAddress) ??
  right('PANOPTES_BUS in the environment', env.PANOPTES_BUS || undefined, busAddress) ??
  team.bus

export const placeOfHome = async (context: Context): Promise<LedgerPlace> =>
  placeOf(context, (await loadConfig(context)).config)

/** Whether there is anything to read. A database makes what is not there when it is opened. */
export const isMade = (place: LedgerPlace): boolean => place.kind === 'postgres' || existsSync(place.file)

/** What to do about a ledger that cannot be opened, where nobody knows better. */
export const wayOut = ({ kind }: LedgerPlace): string | undefined =>
  kind === 'sqlite'
    ? undefined
    : 'See that the database runs and that its address is right: --ledger, PANOPTES_LEDGER, or team.ledger in config.yaml.'

/** An address may hold a password, so a wrong one is never repeated. */
function right(name: string, value: string | undefined, schema: typeof ledgerAddress): string | undefined {
  if (value === undefined) return undefined
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw new CommandFailure(`${name} ${checked.error.issues[0]?.message ?? 'must be an address'}`, {
    code: 'usage',
    next: 'Correct it, or leave it out to use what config.yaml says.',
    exit: EXIT.usage,
  })
}
