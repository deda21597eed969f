import type { Agent, SessionSummary } from '@panoptes/schema'
import { countedState, isAlive } from '@panoptes/schema/reading'
import { toSessionKey } from '../data/agent-key.ts'
import { modelFamily } from './names.ts'

export const STATES = ['working', 'waiting', 'stuck', 'failed', 'stopped', 'done'] as const
export type StateFilter = (typeof STATES)[number]

export interface LiveFilter {
  readonly state?: StateFilter | undefined
  readonly source?: string | undefined
  readonly project?: string | undefined
  readonly host?: string | undefined
  readonly model?: string | undefined
  /** The key of one session. */
  readonly session?: string | undefined
}

export const NO_FILTER: Required<LiveFilter> = {
  state: undefined,
  source: undefined,
  project: undefined,
  host: undefined,
  model: undefined,
  session: undefined,
}

type Projects = ReadonlyMap<string, string>

/** The details of each session, by its key. */
export type Summaries = ReadonlyMap<string, Pick<SessionSummary, 'project' | 'host'>>

export const indexSummaries = (sessions: readonly SessionSummary[]): ReadonlyMap<string, SessionSummary> =>
  new Map(sessions.map((one) => [toSessionKey(one), one]))

/** The computer of each session; empty if all share one, which then needs no label. */
export function sessionHosts(sessions: readonly SessionSummary[]): ReadonlyMap<string, string> {
  const hosts = new Map(sessions.flatMap((one) => (one.host ? [[toSessionKey(one), one.host]] : [])))
  return new Set(hosts.values()).size > 1 ? hosts : new Map()
}

/** The project of each session, if known. */
export const sessionProjects = (sessions: readonly SessionSummary[]): Projects =>
  new Map(sessions.flatMap((one) => (one.project === null ? [] : [[toSessionKey(one), one.project]])))

/** Counts the projects of the shown sessions; sessions without a project count for none. */
export const countProjects = (shown: readonly { readonly key: string }[], projects: Projects): number =>
  new Set(shown.flatMap(({ key }) => projects.get(key) ?? [])).size

export const isNarrowed = (filter: LiveFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** Whether an agent passes every filter except the state. */
export const matchesExceptState = (agent: Agent, filter: LiveFilter, sessions: Summaries): boolean =>
  (filter.session === undefined || toSessionKey(agent) === filter.session) &&
  (filter.source === undefined || agent.source === filter.source) &&
  (filter.project === undefined || sessions.get(toSessionKey(agent))?.project === filter.project) &&
  (filter.host === undefined || sessions.get(toSessionKey(agent))?.host === filter.host) &&
  (filter.model === undefined || modelFamily(agent.model) === filter.model)

export const matchesFilter = (agent: Agent, filter: LiveFilter, sessions: Summaries): boolean =>
  matchesExceptState(agent, filter, sessions) &&
  (filter.state === undefined || countedState(agent) === filter.state)

export type StateCounts = Readonly<Record<'alive' | StateFilter, number>>

export function countStates(agents: readonly Agent[]): StateCounts {
  const counts = { alive: 0, working: 0, waiting: 0, stuck: 0, failed: 0, stopped: 0, done: 0 }
  for (const agent of agents) {
    if (isAlive(agent.state)) counts.alive += 1
    counts[countedState(agent)] += 1
  }
  return counts
}
