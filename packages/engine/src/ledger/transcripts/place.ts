import { type Database, openDatabase } from '../postgres/database.ts'
import { shownAddress } from '../postgres/failures.ts'
import type { PostgresPlace } from '../postgres/ledger.ts'

export type TranscriptPlace = Pick<PostgresPlace, 'url' | 'schema'>

const IDLE_MS = 10_000

/** Connections are opened when they are needed and closed when they are not, and keep no process from its end. */
export const openOnDemand = ({ url, schema }: TranscriptPlace, max: number): Database =>
  openDatabase(url, schema, { max, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true })

/** As it may be shown. */
export const whereOf = ({ url, schema }: TranscriptPlace): string => `${shownAddress(url)} (${schema})`
