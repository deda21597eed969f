import { describe } from 'vitest'
import { describeAnyPast, describeScale } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('SQLite store', () => {
  describeAnyPast(sqliteLab)
  describeScale(sqliteLab)
})
