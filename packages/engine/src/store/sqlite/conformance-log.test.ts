import { describe } from 'vitest'
import { describeLog } from '../conformance/index.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

describe('SQLite store', () => describeLog(sqliteLab))
