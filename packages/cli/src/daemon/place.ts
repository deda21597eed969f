import { existsSync } from 'node:fs'
import type { StoreLocation } from '@panoptes/engine/store'
import { busAddress, type Config, ledgerAddress } from '@panoptes/schema'
import { loadConfig } from '../commands/config.ts'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT } from '../failure.ts'

type Home = Pick<Context, 'env' | 'paths'>

/** Finds the store of a home. The command line overrides the environment, which overrides config.yaml. */
export function placeOf({ env, paths }: Home, { team }: Config, typed?: string): StoreLocation {
  const url =
    right('--store', typed, ledgerAddress) ??
    right('PANOPTES_LEDGER in the environment', env.PANOPTES_LEDGER || undefined, ledgerAddress) ??
    team.ledger
  return url === null ? { kind: 'sqlite', file: paths.store } : { kind: 'postgres', url, space: team.space }
}

/** Finds the store of a hub. A team always needs a database. */
export function teamPlaceOf(
  home: Home,
  config: Config,
  typed?: string,
): Extract<StoreLocation, { kind: 'postgres' }> {
  const place = placeOf(home, config, typed)
  if (place.kind === 'postgres') return place
  throw new CommandFailure('A team needs a PostgreSQL database, but none is set', {
    code: 'no_team',
    next: 'Set it with --store postgres://…, PANOPTES_LEDGER, or team.ledger in config.yaml.',
    exit: EXIT.usage,
  })
}

/** The address of the bus that takes events before the store does. Most homes have none. */
export const busOf = ({ env }: Pick<Context, 'env'>, { team }: Config, typed?: string): string | null =>
  right('--bus', typed, busAddress) ??
  right('PANOPTES_BUS in the environment', env.PANOPTES_BUS || undefined, busAddress) ??
  team.bus

export const placeOfHome = async (context: Context): Promise<StoreLocation> =>
  placeOf(context, (await loadConfig(context)).config)

/** Whether the store exists. A database creates missing tables when it is opened. */
export const isMade = (place: StoreLocation): boolean => place.kind === 'postgres' || existsSync(place.file)

/** The default advice for a store that cannot be opened. */
export const wayOut = ({ kind }: StoreLocation): string | undefined =>
  kind === 'sqlite'
    ? undefined
    : 'Check that the database is running and that its address is correct. It is set by --store, PANOPTES_LEDGER, or team.ledger in config.yaml.'

/** Validates an address. The error never repeats it, because it may contain a password. */
function right(name: string, value: string | undefined, schema: typeof ledgerAddress): string | undefined {
  if (value === undefined) return undefined
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  throw new CommandFailure(`${name} ${checked.error.issues[0]?.message ?? 'must be an address'}`, {
    code: 'usage',
    next: 'Correct it, or omit it to use the value in config.yaml.',
    exit: EXIT.usage,
  })
}
