export { shownBus } from './connection.ts'
export { type BusLook, lookAtBus } from './inspection.ts'
export { type BusOptions, openBus } from './open.ts'
export type { Bus, BusHealth } from './port.ts'
