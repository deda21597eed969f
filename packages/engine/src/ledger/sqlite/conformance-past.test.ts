import { describe } from 'vitest'
import { describePast } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('the SQLite ledger', () => describePast(sqliteLab, 10))
