import { describe } from 'vitest'
import { describeTables } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('the SQLite ledger', () => describeTables(sqliteLab))
