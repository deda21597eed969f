import type { Agent, SessionSummary } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { sessionKeyOf } from '../data/key.ts'
import { familyOf } from './names.ts'

export const STATES = ['working', 'waiting', 'stuck', 'failed', 'done'] as const
export type StateFilter = (typeof STATES)[number]

export interface LiveFilter {
  readonly state?: StateFilter | undefined
  readonly source?: string | undefined
  readonly project?: string | undefined
  readonly model?: string | undefined
  /** The key of one session. */
  readonly session?: string | undefined
}

export const NO_FILTER: Required<LiveFilter> = {
  state: undefined,
  source: undefined,
  project: undefined,
  model: undefined,
  session: undefined,
}

export type Projects = ReadonlyMap<string, string>

/** Which project each session is of, where that is known. */
export const projectsOf = (sessions: readonly SessionSummary[]): Projects =>
  new Map(sessions.flatMap((one) => (one.project === null ? [] : [[sessionKeyOf(one), one.project]])))

/** How many projects the sessions that are shown are of; one without a project is of none. */
export const countProjects = (shown: readonly { readonly key: string }[], projects: Projects): number =>
  new Set(shown.flatMap(({ key }) => projects.get(key) ?? [])).size

export const isNarrowed = (filter: LiveFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** Whether an agent passes everything but the state. */
export const inScope = (agent: Agent, filter: LiveFilter, projects: Projects): boolean =>
  (filter.session === undefined || sessionKeyOf(agent) === filter.session) &&
  (filter.source === undefined || agent.source === filter.source) &&
  (filter.project === undefined || projects.get(sessionKeyOf(agent)) === filter.project) &&
  (filter.model === undefined || familyOf(agent.model) === filter.model)

export const passes = (agent: Agent, filter: LiveFilter, projects: Projects): boolean =>
  inScope(agent, filter, projects) && (filter.state === undefined || agent.state === filter.state)

export type StateCounts = Readonly<Record<'alive' | StateFilter, number>>

export function countStates(agents: readonly Agent[]): StateCounts {
  const counts = { alive: 0, working: 0, waiting: 0, stuck: 0, failed: 0, done: 0 }
  for (const { state } of agents) {
    if (isAlive(state)) counts.alive += 1
    counts[state] += 1
  }
  return counts
}
