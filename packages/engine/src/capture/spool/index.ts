export { createSpool, SPOOL_MARK, type Spool, type SpoolHealth, type SpoolOptions } from './spool.ts'
