/** Exposes the raw copy that benchmarks compare the PostgreSQL store with. */
export { type Cell, copyInto } from './copy.ts'
export { type Database, openDatabase, runTransaction as within } from './database.ts'
export { makePartition } from './partitions.ts'
