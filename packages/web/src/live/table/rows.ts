import type { Agent, SessionSummary } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { toAgentKey, toSessionKey } from '../data/agent-key.ts'
import type { Scene } from '../data/source.ts'
import { findWaitingAgents } from '../model/agent-activity.ts'
import { familyTree } from '../model/family-tree.ts'
import {
  indexSummaries,
  type LiveFilter,
  matchesFilter,
  type Summaries,
  sessionHosts,
} from '../model/filter.ts'
import { isMain, MAIN } from '../model/names.ts'
import { isShown, visibleEnd } from '../model/visibility.ts'

export type TableRow =
  | {
      readonly kind: 'head'
      readonly key: string
      readonly title: string
      readonly sub: string | null
      readonly host: string | null
      readonly count: number
      readonly folded: boolean
    }
  | {
      readonly kind: 'agent'
      readonly key: string
      readonly agent: Agent
      readonly session: string
      /** The computer it runs on, if there are several. */
      readonly host: string | null
      readonly level: number
      /** For each level above: whether its line continues below. */
      readonly lines: readonly boolean[]
      readonly children: number
      /** It is in the list at the top; its own row only refers to it. */
      readonly above: boolean
      readonly needs: boolean
    }

export const NEEDS_KEY = 'needs-you'
/** Ended agents stay in the tree of a running session for this long. */
const ENDED_MS = 600_000

export interface RowOptions {
  readonly filter: LiveFilter
  readonly now: number
  readonly folded: ReadonlySet<string>
  readonly needsTitle: string
}

/** Needs you first, then each session's tree. */
export function tableRows(scene: Scene, options: RowOptions): readonly TableRow[] {
  const now = scene.at ?? options.now
  const summaries = indexSummaries(scene.sessions)
  const hosts = sessionHosts(scene.sessions)
  const named = scene.agents.filter((agent) => matchesFilter(agent, options.filter, summaries))
  const needs = findWaitingAgents(named)
  const above = new Set(needs.map(toAgentKey))
  const rows: TableRow[] = []
  if (needs.length > 0) {
    rows.push(head(NEEDS_KEY, options.needsTitle, null, null, needs.length, options.folded))
    if (!options.folded.has(NEEDS_KEY))
      for (const agent of needs)
        rows.push({
          kind: 'agent',
          key: `needs ${toAgentKey(agent)}`,
          agent,
          session: sessionLabel(agent, summaries.get(toSessionKey(agent))),
          host: hosts.get(toSessionKey(agent)) ?? null,
          level: 1,
          lines: [],
          children: 0,
          above: false,
          needs: true,
        })
  }
  const sessions = [...Map.groupBy(scene.agents, toSessionKey)]
    .map(([key, agents]) => ({ key, agents: filterAgents(agents, now, options.filter, summaries) }))
    .filter(
      ({ key, agents }) =>
        options.filter.session === key || agents.some((agent) => isShown(agent, now, options.filter.state)),
    )
    .sort((a, b) => earliestStart(a.agents) - earliestStart(b.agents) || (a.key < b.key ? -1 : 1))
  for (const { key, agents } of sessions)
    sessionRows(rows, key, agents, summaries.get(key), hosts.get(key) ?? null, above, options.folded)
  return rows
}

function sessionRows(
  rows: TableRow[],
  key: string,
  agents: readonly Agent[],
  summary: SessionSummary | undefined,
  host: string | null,
  above: ReadonlySet<string>,
  folded: ReadonlySet<string>,
) {
  const first = agents[0]
  if (!first) return
  const session = sessionLabel(first, summary)
  const alive = agents.filter((agent) => isAlive(agent.state)).length
  rows.push(head(key, session, summary?.project ? summary.title : null, host, alive, folded))
  if (folded.has(key)) return
  const tree = familyTree(agents)
  const add = (agent: Agent, level: number, lines: readonly boolean[]) => {
    const own = toAgentKey(agent)
    const children = tree.findChildren(agent.id)
    rows.push({
      kind: 'agent',
      key: own,
      agent,
      session,
      host,
      level,
      lines,
      children: children.length,
      above: above.has(own),
      needs: false,
    })
    children.forEach((child, i) => {
      add(child, level + 1, [...lines, i < children.length - 1])
    })
  }
  if (tree.main) add(tree.main, 1, [])
  else for (const child of tree.findChildren(MAIN)) add(child, 1, [])
}

/** The agents that match the filter, with all their ancestors. */
function filterAgents(
  agents: readonly Agent[],
  now: number,
  filter: LiveFilter,
  sessions: Summaries,
): readonly Agent[] {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const keep = new Set<Agent>()
  for (const agent of agents) {
    if (!matchesFilter(agent, filter, sessions)) continue
    if (!isAlive(agent.state) && now - visibleEnd(agent) > ENDED_MS) continue
    for (let at: Agent | undefined = agent; at && !keep.has(at); ) {
      keep.add(at)
      at = isMain(at) ? undefined : byId.get(at.parent_id ?? MAIN)
    }
  }
  return agents.filter((agent) => keep.has(agent))
}

const head = (
  key: string,
  title: string,
  sub: string | null,
  host: string | null,
  count: number,
  folded: ReadonlySet<string>,
): TableRow => ({ kind: 'head', key, title, sub, host, count, folded: folded.has(key) })

const sessionLabel = (agent: Agent, summary: SessionSummary | undefined): string =>
  summary?.project ?? summary?.title ?? agent.session_id.slice(0, 8)

const earliestStart = (agents: readonly Agent[]): number =>
  Math.min(...agents.map((agent) => agent.started_at))
