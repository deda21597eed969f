/** How events are packed for the bus, for benchmarks of it. */
export { packLines, unpack } from './payload.ts'
