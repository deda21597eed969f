import { type Database, openDatabase } from '../postgres/database.ts'
import { formatAddress } from '../postgres/failures.ts'
import type { PostgresPlace } from '../postgres/postgres-store.ts'

export type TranscriptPlace = Pick<PostgresPlace, 'url' | 'schema'>

const IDLE_MS = 10_000

/**
 * Connections are opened when they are needed, closed when they are not, and do not keep the process alive.
 */
export const openOnDemand = ({ url, schema }: TranscriptPlace, max: number): Database =>
  openDatabase(url, schema, { max, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true })

/** Returns the place without a password, safe to display. */
export const placeLabel = ({ url, schema }: TranscriptPlace): string => `${formatAddress(url)} (${schema})`
