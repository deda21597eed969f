import { resolvePaths } from '@panoptes/engine/home'

type Environment = Readonly<Record<string, string | undefined>>

/** The file in which conversations are kept. */
export const ledgerFile = (env: Environment = process.env): string => resolvePaths(env).ledger

/** A conversation's place names the file and its row. */
export const placeOf = (path: string, id: string): string => `${path}#${id}`
