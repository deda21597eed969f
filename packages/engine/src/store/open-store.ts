import type { Result } from '@panoptes/schema'
import type { EventStore } from './port.ts'
import { formatAddress } from './postgres/failures.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'

/**
 * Locates a store: in a file that one process uses, or in a space of a database that any number of processes
 * share.
 */
export type StoreLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly space: string }

export async function openStore(place: StoreLocation): Promise<Result<EventStore>> {
  if (place.kind === 'sqlite') return openSqliteStore(place.file)
  // Most homes have their store in a file and need not load the client of a database.
  const { openPostgresStore } = await import('./postgres/postgres-store.ts')
  return openPostgresStore({ url: place.url, schema: spaceSchema(place.space) })
}

/** Returns the store's location without a password, safe to display. */
export const formatPlace = (place: StoreLocation): string =>
  place.kind === 'sqlite' ? place.file : `${formatAddress(place.url)} (${spaceSchema(place.space)})`

/** Returns the name of a space's schema. */
export const spaceSchema = (space: string): string => `space_${space.replaceAll('-', '_')}`

/** The schema that belongs to no space: people, tokens and the audit log. */
export const TEAM_SCHEMA = 'panoptes_team'
