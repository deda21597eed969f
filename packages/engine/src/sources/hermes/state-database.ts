import { SharedDatabase } from '../database/shared-database.ts'
import { type Statements, statementsOf } from './statements.ts'

/** One database of Hermes. */
export type StateDatabase = SharedDatabase<Statements>

export const stateDatabase = (path: string): StateDatabase => new SharedDatabase(path, statementsOf)

export const OWNER = 'Hermes'
