export { ALIVE, agentsProjection, ENDED } from './projection.ts'
export type { Row as AgentsRow } from './row.ts'
export { shownAgent } from './shown.ts'
