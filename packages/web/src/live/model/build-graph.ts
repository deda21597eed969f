import type { Agent, SessionSummary } from '@panoptes/schema'
import { keyOf, sessionKeyOf } from '../data/key.ts'
import type { Scene } from '../data/scene.ts'
import { familyTree } from './family-tree.ts'
import { hostsOf, inScope, type LiveFilter, passes, type Summaries, summariesOf } from './filter.ts'
import { type Folded, fold } from './fold.ts'
import type { Graph, GraphNode, GraphSession } from './graph.ts'
import { familyOf, isMain, MAIN, nameOf } from './names.ts'
import { isShown } from './shown.ts'
import { pillsOf } from './tools.ts'

export interface GraphOptions {
  readonly now: number
  readonly filter: LiveFilter
  readonly selected: string | null
  readonly open: ReadonlySet<string>
  readonly say: (alive: number) => string
}

/** What is drawn of a scene: sessions with someone in sight, each as a tree with `main` in its middle. */
export function buildGraph(scene: Scene, options: GraphOptions): Graph {
  const now = scene.at ?? options.now
  const summaries = summariesOf(scene.sessions)
  const hosts = hostsOf(scene.sessions)
  const inConflict = new Set(
    scene.conflicts.flatMap((one) => one.agents.map((who) => keyOf({ ...who, id: who.agent_id }))),
  )
  const grouped = Map.groupBy(scene.agents, sessionKeyOf)
  const sessions = [...grouped].flatMap(([key, agents]): GraphSession[] => {
    const inTime = visible(
      agents,
      (agent) => isShown(agent, now, options.filter.state),
      options.filter,
      summaries,
    )
    // A past session that was asked for is shown as it ended, even where its last event came long after the last agent.
    const asked = scene.at !== null && options.filter.session === key && inTime.length === 0
    const shown = asked ? visible(agents, () => true, options.filter, summaries) : inTime
    if (!shown.some((one) => !one.dim)) return []
    return [sessionOf(key, shown, summaries.get(key), hosts.get(key), scene, options, inConflict)]
  })
  sessions.sort((a, b) => a.startedAt - b.startedAt || (a.key < b.key ? -1 : 1))
  return {
    sessions,
    nodes: sessions.reduce((sum, one) => sum + one.nodes.length, 0),
    alive: sessions.reduce((sum, one) => sum + one.alive, 0),
  }
}

interface Visible {
  readonly agent: Agent
  readonly dim: boolean
}

/** Whom the filter names, and everyone above them. */
function visible(
  agents: readonly Agent[],
  isInSight: (agent: Agent) => boolean,
  filter: LiveFilter,
  sessions: Summaries,
): readonly Visible[] {
  const first = agents[0]
  if (!first || !inScope(first, { ...filter, model: undefined }, sessions)) return []
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const dim = new Map<Agent, boolean>()
  for (const agent of agents) {
    if (!isInSight(agent) || !passes(agent, filter, sessions)) continue
    dim.set(agent, false)
    for (let above = byId.get(agent.parent_id ?? MAIN); above && !dim.has(above); ) {
      dim.set(above, !isInSight(above) || !passes(above, filter, sessions))
      above = byId.get(above.parent_id ?? MAIN)
    }
  }
  const main = byId.get(MAIN)
  if (main && dim.size > 0 && !dim.has(main))
    dim.set(main, !isInSight(main) || !passes(main, filter, sessions))
  return [...dim].map(([agent, isDim]) => ({ agent, dim: isDim }))
}

function sessionOf(
  key: string,
  shown: readonly Visible[],
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
    const folded = fold(parentKey, tree.childrenOf(id), {
      hasChildren: (agent) => tree.childrenOf(agent.id).length > 0,
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
    about: aboutOf(summary, host),
    count: options.say(alive),
    startedAt: Math.min(...agents.map((agent) => agent.started_at)),
    nodes,
    alive,
    waiting: counts.waiting,
    stuck: counts.stuck,
    failed: counts.failed,
    ...pillsOf(first?.source ?? '', agents, scene.tools),
  }
}

/** On which computer it is where there are several, and what it is about. */
function aboutOf(summary: SessionSummary | undefined, host: string | undefined): string | null {
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
    family: familyOf(agent?.model ?? null),
    background: false,
    parent: -1,
    depth: 0,
    members: [],
    dim: agent === null || dim.has(agent),
    conflict: inConflict.has(key),
  }
}

function childNode(
  folded: Folded,
  parent: number,
  depth: number,
  dim: ReadonlySet<Agent>,
  inConflict: ReadonlySet<string>,
): GraphNode {
  const agent = folded.kind === 'one' ? folded.agent : (folded.agents[0] ?? null)
  const key = folded.kind === 'one' ? keyOf(folded.agent) : folded.key
  return {
    key,
    kind: folded.kind === 'one' ? 'agent' : 'group',
    name: agent ? nameOf(agent) : '',
    agent: folded.kind === 'one' ? folded.agent : null,
    state: agent?.state ?? 'working',
    outcome: folded.kind === 'one' ? folded.agent.outcome : null,
    family: familyOf(agent?.model ?? null),
    background: agent?.background ?? false,
    parent,
    depth,
    members: folded.kind === 'one' ? [] : folded.agents.map(keyOf),
    dim: agent === null || (dim.has(agent) && !isMain(agent)),
    conflict: inConflict.has(key),
  }
}
