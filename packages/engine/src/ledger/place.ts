import type { Result } from '@panoptes/schema'
import type { Ledger } from './port.ts'
import { shownAddress } from './postgres/failures.ts'
import { openPostgresLedger } from './postgres/ledger.ts'
import { openSqliteLedger } from './sqlite/ledger.ts'

/** Where a ledger is: a file of one process, or a space in a database that any number of them share. */
export type LedgerPlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly space: string }

export const openLedger = (place: LedgerPlace): Promise<Result<Ledger>> =>
  place.kind === 'sqlite'
    ? openSqliteLedger(place.file)
    : openPostgresLedger({ url: place.url, schema: schemaOf(place.space) })

/** As a ledger calls itself, and as it may be shown: no password is in it. */
export const shownPlace = (place: LedgerPlace): string =>
  place.kind === 'sqlite' ? place.file : `${shownAddress(place.url)} (${schemaOf(place.space)})`

/** The schema that a space is. */
export const schemaOf = (space: string): string => `space_${space.replaceAll('-', '_')}`

/** The schema that is of no space: people, tokens, what they did. */
export const TEAM_SCHEMA = 'panoptes_team'
