import { describe } from 'vitest'
import { describeUpkeep } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('SQLite store', () => describeUpkeep(sqliteLab))
