import { describe } from 'vitest'
import { describeAnyPast, describeScale } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('the SQLite ledger', () => {
  describeAnyPast(sqliteLab)
  describeScale(sqliteLab)
})
