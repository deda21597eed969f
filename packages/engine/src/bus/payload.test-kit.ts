/** Exposes how the bus packs events, for its benchmarks. */
export { packLines, unpack } from './payload.ts'
