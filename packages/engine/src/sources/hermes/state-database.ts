import { SharedDatabase } from '../database/shared-database.ts'
import { prepareStatements, type Statements } from './statements.ts'

/** One database of Hermes. */
export type StateDatabase = SharedDatabase<Statements>

export const stateDatabase = (path: string): StateDatabase => new SharedDatabase(path, prepareStatements)

export const OWNER = 'Hermes'
