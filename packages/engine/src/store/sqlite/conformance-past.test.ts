import { describe } from 'vitest'
import { describePast } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('SQLite store', () => describePast(sqliteLab, 10))
