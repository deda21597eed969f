export { formatBus } from './connection.ts'
export { type BusLook, inspectBus } from './inspection.ts'
export { type BusOptions, openBus } from './open.ts'
export type { Bus, BusHealth } from './port.ts'
