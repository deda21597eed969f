import { describeSessionIndex } from '../conformance/index.ts'
import { postgresLab } from './postgres.test-kit.ts'

describeSessionIndex('the PostgreSQL index of sessions', postgresLab)
