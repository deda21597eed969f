import { pageTail } from '../../stream/page-tail.ts'
import { followAgents } from './live-agents.ts'

/** The agents of this page's one connection. */
export const pageAgents = followAgents({ tail: pageTail })
