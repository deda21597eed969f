import { describeSessionIndex } from '../conformance/index.ts'
import { postgresLab } from './postgres.test-kit.ts'

describeSessionIndex('PostgreSQL session index', postgresLab)
