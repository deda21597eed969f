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

/** What is known of each session, by its key. */
export type Summaries = ReadonlyMap<string, Pick<SessionSummary, 'project' | 'host'>>

export const summariesOf = (sessions: readonly SessionSummary[]): ReadonlyMap<string, SessionSummary> =>
  new Map(sessions.map((one) => [sessionKeyOf(one), one]))

/** Which computer each session is of; of none where all are of one, which then needs no word. */
export function hostsOf(sessions: readonly SessionSummary[]): ReadonlyMap<string, string> {
  const hosts = new Map(sessions.flatMap((one) => (one.host ? [[sessionKeyOf(one), one.host]] : [])))
  return new Set(hosts.values()).size > 1 ? hosts : new Map()
}

/** Which project each session is of, where that is known. */
export const projectsOf = (sessions: readonly SessionSummary[]): Projects =>
  new Map(sessions.flatMap((one) => (one.project === null ? [] : [[sessionKeyOf(one), one.project]])))

/** How many projects the sessions that are shown are of; one without a project is of none. */
export const countProjects = (shown: readonly { readonly key: string }[], projects: Projects): number =>
  new Set(shown.flatMap(({ key }) => projects.get(key) ?? [])).size

export const isNarrowed = (filter: LiveFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** Whether an agent passes everything but the state. */
export const inScope = (agent: Agent, filter: LiveFilter, sessions: Summaries): boolean =>
  (filter.session === undefined || sessionKeyOf(agent) === filter.session) &&
  (filter.source === undefined || agent.source === filter.source) &&
  (filter.project === undefined || sessions.get(sessionKeyOf(agent))?.project === filter.project) &&
  (filter.host === undefined || sessions.get(sessionKeyOf(agent))?.host === filter.host) &&
  (filter.model === undefined || familyOf(agent.model) === filter.model)

export const passes = (agent: Agent, filter: LiveFilter, sessions: Summaries): boolean =>
  inScope(agent, filter, sessions) && (filter.state === undefined || agent.state === filter.state)

export type StateCounts = Readonly<Record<'alive' | StateFilter, number>>

export function countStates(agents: readonly Agent[]): StateCounts {
  const counts = { alive: 0, working: 0, waiting: 0, stuck: 0, failed: 0, done: 0 }
  for (const { state } of agents) {
    if (isAlive(state)) counts.alive += 1
    counts[state] += 1
  }
  return counts
}
