export type { Gauge } from './metrics.ts'
export type {
  FrontOptions,
  HubOptions,
  RunningHub,
  RunningServer,
  RunningSite,
  ServedForward,
  ServerOptions,
  SiteOptions,
} from './options.ts'
export { startServer } from './start.ts'
export { startHub } from './start-hub.ts'
