export type { RunningServer, ServerOptions } from './options.ts'
export { startServer } from './start.ts'
