export type {
  FrontOptions,
  HubOptions,
  RunningHub,
  RunningServer,
  RunningSite,
  ServerOptions,
  SiteOptions,
} from './options.ts'
export { startServer } from './start.ts'
export { startHub } from './start-hub.ts'
