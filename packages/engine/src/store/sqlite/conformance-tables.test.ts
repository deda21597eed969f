import { describe } from 'vitest'
import { describeTables } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('SQLite store', () => describeTables(sqliteLab))
