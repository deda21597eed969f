import { SharedDatabase } from '../database/shared-database.ts'
import { type Statements, statementsOf } from './statements.ts'

/** One database of OpenCode. */
export type OpenCodeDatabase = SharedDatabase<Statements>

export const openCodeDatabase = (path: string): OpenCodeDatabase => new SharedDatabase(path, statementsOf)

export const OWNER = 'OpenCode'
