import type { Result } from '@panoptes/schema'
import { type StoreLocation, spaceSchema } from '../open-store.ts'
import type { IndexOptions, SessionIndex } from './port.ts'
import { openPostgresIndex } from './postgres/open.ts'
import { openSqliteIndex } from './sqlite.ts'

/** Opens the index of sessions: in a file of its own, or beside a store that many processes share. */
export const openSessionIndex = (
  place: StoreLocation | undefined,
  file: string,
  options: IndexOptions = {},
): Promise<Result<SessionIndex>> =>
  place?.kind === 'postgres'
    ? openPostgresIndex({ url: place.url, schema: spaceSchema(place.space) }, options)
    : Promise.resolve(openSqliteIndex(file, options))
