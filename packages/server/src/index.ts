export type { Gauge } from './metrics.ts'
export type {
  HttpServerOptions,
  HubOptions,
  RunningHub,
  RunningServer,
  RunningSpace,
  ServedForward,
  ServerOptions,
  SpaceServerOptions,
} from './options.ts'
export { startServer } from './start.ts'
export { startHub } from './start-hub.ts'
