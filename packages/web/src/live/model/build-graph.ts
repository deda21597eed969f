import type { Agent, SessionSummary, ToolStats } from '@panoptes/schema'
import { countFailedCalls } from '@panoptes/schema/reading'
import { toAgentKey, toSessionKey } from '../data/agent-key.ts'
import type { Scene } from '../data/source.ts'
import { familyTree } from './family-tree.ts'
import {
  indexSummaries,
  type LiveFilter,
  matchesExceptState,
  matchesFilter,
  type Summaries,
  sessionHosts,
} from './filter.ts'
import type { Graph, GraphNode, GraphSession, ToolPill } from './graph.ts'
import { agentName, isMain, MAIN, modelFamily } from './names.ts'
import { isShown } from './visibility.ts'

export const PILLS = 3

export interface GraphOptions {
  readonly now: number
  readonly filter: LiveFilter
  readonly selected: string | null
  readonly open: ReadonlySet<string>
  readonly say: (alive: number) => string
}

/** Builds the graph of a scene: sessions with a visible agent, each as a tree with `main` in its middle. */
export function buildGraph(scene: Scene, options: GraphOptions): Graph {
  const now = scene.at ?? options.now
  const summaries = indexSummaries(scene.sessions)
  const hosts = sessionHosts(scene.sessions)
  const inConflict = new Set(
    scene.conflicts.flatMap((one) => one.agents.map((who) => toAgentKey({ ...who, id: who.agent_id }))),
  )
  const grouped = Map.groupBy(scene.agents, toSessionKey)
  const sessions = [...grouped].flatMap(([key, agents]): GraphSession[] => {
    const inTime = selectVisible(
      agents,
      (agent) => isShown(agent, now, options.filter.state),
      options.filter,
      summaries,
    )
    // A past session is shown as it ended, even if its last event came long after its last agent ended.
    const isChosen = scene.at !== null && options.filter.session === key && inTime.length === 0
    const shown = isChosen ? selectVisible(agents, () => true, options.filter, summaries) : inTime
    if (!shown.some((one) => !one.dim)) return []
    return [buildSession(key, shown, summaries.get(key), hosts.get(key), scene, options, inConflict)]
  })
  sessions.sort((a, b) => a.startedAt - b.startedAt || (a.key < b.key ? -1 : 1))
  return {
    sessions,
    nodes: sessions.reduce((sum, one) => sum + one.nodes.length, 0),
    alive: sessions.reduce((sum, one) => sum + one.alive, 0),
  }
}

interface VisibleAgent {
  readonly agent: Agent
  readonly dim: boolean
}

/** The agents that match the filter, and all their ancestors. */
function selectVisible(
  agents: readonly Agent[],
  isInSight: (agent: Agent) => boolean,
  filter: LiveFilter,
  sessions: Summaries,
): readonly VisibleAgent[] {
  const first = agents[0]
  if (!first || !matchesExceptState(first, { ...filter, model: undefined }, sessions)) return []
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const dim = new Map<Agent, boolean>()
  for (const agent of agents) {
    if (!isInSight(agent) || !matchesFilter(agent, filter, sessions)) continue
    dim.set(agent, false)
    for (let above = byId.get(agent.parent_id ?? MAIN); above && !dim.has(above); ) {
      dim.set(above, !isInSight(above) || !matchesFilter(above, filter, sessions))
      above = byId.get(above.parent_id ?? MAIN)
    }
  }
  const main = byId.get(MAIN)
  if (main && dim.size > 0 && !dim.has(main))
    dim.set(main, !isInSight(main) || !matchesFilter(main, filter, sessions))
  return [...dim].map(([agent, isDim]) => ({ agent, dim: isDim }))
}

function buildSession(
  key: string,
  shown: readonly VisibleAgent[],
  summary: SessionSummary | undefined,
  host: string | undefined,
  scene: Scene,
  options: GraphOptions,
  inConflict: ReadonlySet<string>,
): GraphSession {
  const agents = shown.map((one) => one.agent)
  const dim = new Set(shown.flatMap((one) => (one.dim ? [one.agent] : [])))
  const tree = familyTree(agents)
  const nodes: GraphNode[] = [mainNode(key, tree.main, dim, inConflict)]
  const fill = (id: string, at: number, depth: number) => {
    const parentKey = nodes[at]?.key ?? key
    const folded = foldChildren(parentKey, tree.findChildren(id), {
      hasChildren: (agent) => tree.findChildren(agent.id).length > 0,
      apart: (one) => one === options.selected || inConflict.has(one),
      open: options.open,
    })
    const own = folded.map((one) => {
      nodes.push(childNode(one, at, depth, dim, inConflict))
      return [one, nodes.length - 1] as const
    })
    for (const [one, index] of own) if (one.kind === 'one') fill(one.agent.id, index, depth + 1)
  }
  fill(MAIN, 0, 1)
  const counts = { working: 0, waiting: 0, stuck: 0, done: 0, failed: 0 }
  for (const agent of agents) counts[agent.state] += 1
  const alive = counts.working + counts.waiting + counts.stuck
  const first = agents[0]
  return {
    key,
    title: summary?.project ?? summary?.title ?? first?.session_id.slice(0, 8) ?? key,
    about: sessionAbout(summary, host),
    count: options.say(alive),
    startedAt: Math.min(...agents.map((agent) => agent.started_at)),
    nodes,
    alive,
    waiting: counts.waiting,
    stuck: counts.stuck,
    failed: counts.failed,
    ...buildPills(first?.source ?? '', agents, scene.tools),
  }
}

/** The computer, if there are several, and the topic. */
function sessionAbout(summary: SessionSummary | undefined, host: string | undefined): string | null {
  const parts = [host, summary?.project ? summary.title : null]
  return parts.filter((part) => typeof part === 'string').join(' · ') || null
}

function mainNode(
  sessionKey: string,
  agent: Agent | null,
  dim: ReadonlySet<Agent>,
  inConflict: ReadonlySet<string>,
): GraphNode {
  const key = `${sessionKey}~${MAIN}`
  return {
    key,
    kind: 'main',
    name: MAIN,
    agent,
    state: agent?.state ?? 'working',
    outcome: agent?.outcome ?? null,
    family: modelFamily(agent?.model ?? null),
    background: false,
    parent: -1,
    depth: 0,
    members: [],
    dim: agent === null || dim.has(agent),
    conflict: inConflict.has(key),
  }
}

function childNode(
  folded: FoldedChild,
  parent: number,
  depth: number,
  dim: ReadonlySet<Agent>,
  inConflict: ReadonlySet<string>,
): GraphNode {
  const agent = folded.kind === 'one' ? folded.agent : (folded.agents[0] ?? null)
  const key = folded.kind === 'one' ? toAgentKey(folded.agent) : folded.key
  return {
    key,
    kind: folded.kind === 'one' ? 'agent' : 'group',
    name: agent ? agentName(agent) : '',
    agent: folded.kind === 'one' ? folded.agent : null,
    state: agent?.state ?? 'working',
    outcome: folded.kind === 'one' ? folded.agent.outcome : null,
    family: modelFamily(agent?.model ?? null),
    background: agent?.background ?? false,
    parent,
    depth,
    members: folded.kind === 'one' ? [] : folded.agents.map(toAgentKey),
    dim: agent === null || (dim.has(agent) && !isMain(agent)),
    conflict: inConflict.has(key),
  }
}

const FOLD_FROM = 4

/** The drawn children: single agents, or several alike as one group. */
type FoldedChild =
  | { readonly kind: 'one'; readonly agent: Agent }
  | { readonly kind: 'many'; readonly key: string; readonly agents: readonly Agent[] }

interface FoldOptions {
  readonly hasChildren: (agent: Agent) => boolean
  /** Agents that must stay visible on their own, such as the selected one or one in conflict. */
  readonly apart: (key: string) => boolean
  /** The keys of opened groups. */
  readonly open: ReadonlySet<string>
}

/** Folds four or more working children of one type and model into a group; an agent that needs a person stays apart. */
function foldChildren(
  parentKey: string,
  children: readonly Agent[],
  options: FoldOptions,
): readonly FoldedChild[] {
  if (children.length < FOLD_FROM) return children.map((agent) => ({ kind: 'one', agent }))
  const alike = new Map<string, Agent[]>()
  for (const agent of children) {
    if (agent.state !== 'working' || options.hasChildren(agent) || options.apart(toAgentKey(agent))) continue
    const kind = `${parentKey}~${agentName(agent)}~${modelFamily(agent.model)}`
    const group = alike.get(kind)
    if (group) group.push(agent)
    else alike.set(kind, [agent])
  }
  const groupKeys = new Map<Agent, string>()
  for (const [key, agents] of alike) {
    if (agents.length < FOLD_FROM || agents[0]?.subagent_type === null || options.open.has(key)) continue
    for (const agent of agents) groupKeys.set(agent, key)
  }
  const seen = new Set<string>()
  return children.flatMap((agent): FoldedChild[] => {
    const key = groupKeys.get(agent)
    if (key === undefined) return [{ kind: 'one', agent }]
    if (seen.has(key)) return []
    seen.add(key)
    return [{ kind: 'many', key, agents: alike.get(key) ?? [] }]
  })
}

type Count = Pick<ToolPill, 'calls' | 'errors'>

/** The most used tools of a session: three by name, the rest combined. */
function buildPills(
  source: string,
  agents: readonly Agent[],
  stats: readonly ToolStats[],
): Pick<GraphSession, 'tools' | 'moreTools'> {
  const counts = new Map<string, Count>()
  for (const agent of agents)
    for (const [tool, calls] of Object.entries(agent.tool_counts))
      counts.set(tool, sum([{ calls, errors: countFailedCalls(agent, tool) }, counts.get(tool) ?? NONE]))
  const all = [...counts]
    .sort(([a, x], [b, y]) => y.calls - x.calls || (a < b ? -1 : 1))
    .map(([tool, count]): ToolPill => {
      const toolStats = stats.find((one) => one.source === source && one.tool === tool)
      return { tool, ...count, p95_ms: toolStats?.p95_ms ?? null }
    })
  return { tools: all.slice(0, PILLS), moreTools: sumTools(all.slice(PILLS)) }
}

const NONE: Count = { calls: 0, errors: 0 }

/** Combines several tools into one; null if there are none. */
export const sumTools = (tools: readonly Count[]): GraphSession['moreTools'] =>
  tools.length === 0 ? null : { tools: tools.length, ...sum(tools) }

const sum = (counts: readonly Count[]): Count =>
  counts.reduce(
    (so, { calls, errors }) => ({
      calls: so.calls + calls,
      errors: so.errors === null || errors === null ? null : so.errors + errors,
    }),
    NONE,
  )
