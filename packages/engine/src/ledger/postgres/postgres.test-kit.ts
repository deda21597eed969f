/** What benchmarks of the PostgreSQL ledger measure it against. */
export { type Cell, copyInto } from './copy.ts'
export { type Database, openDatabase, within } from './database.ts'
export { makePartition } from './partitions.ts'
