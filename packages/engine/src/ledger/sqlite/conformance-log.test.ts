import { describe } from 'vitest'
import { describeLog } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('the SQLite ledger', () => describeLog(sqliteLab))
