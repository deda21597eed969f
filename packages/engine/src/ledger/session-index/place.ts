import type { Result } from '@panoptes/schema'
import { type LedgerPlace, schemaOf } from '../place.ts'
import type { IndexOptions, SessionIndex } from './port.ts'
import { openPostgresIndex } from './postgres/open.ts'
import { openSqliteIndex } from './sqlite.ts'

/** The index of sessions: in a file of its own, or beside a ledger that many processes share. */
export const openSessionIndex = (
  place: LedgerPlace | undefined,
  file: string,
  options: IndexOptions = {},
): Promise<Result<SessionIndex>> =>
  place?.kind === 'postgres'
    ? openPostgresIndex({ url: place.url, schema: schemaOf(place.space) }, options)
    : Promise.resolve(openSqliteIndex(file, options))
