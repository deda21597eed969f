export { shownAgent } from './agent-view.ts'
export { ALIVE, agentsProjection, CLOSED_SESSION, ENDED, HIDDEN_SESSION, OPEN_SESSION } from './projection.ts'
export type { Row as AgentsRow } from './row.ts'
