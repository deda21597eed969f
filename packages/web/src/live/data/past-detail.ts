import type { Agent, ReplayReply, StoredEvent, ToolStats } from '@panoptes/schema'
import { countFailedCalls } from '@panoptes/schema/reading'
import { type AgentRef, toAgentKey } from './agent-key.ts'
import type { Detail } from './source.ts'

/** The panel of an agent at a past moment, taken from the frame of that moment. */
export function detailAt(
  ref: AgentRef,
  frame: ReplayReply,
  latest: readonly StoredEvent[],
  tools: readonly ToolStats[],
): Detail | null {
  const key = toAgentKey(ref)
  const own = frame.agents.filter(
    (agent) => agent.source === ref.source && agent.session_id === ref.session_id,
  )
  const byId = new Map(own.map((agent) => [agent.id, agent]))
  const agent = own.find((one) => toAgentKey(one) === key)
  if (!agent) return null
  const p95 = (tool: string) =>
    tools.find((one) => one.source === ref.source && one.tool === tool)?.p95_ms ?? null
  return {
    agent,
    session:
      frame.sessions.find((one) => one.source === ref.source && one.session_id === ref.session_id) ?? null,
    path: pathTo(agent, byId),
    children: own.filter((one) => one.parent_id === ref.id),
    tools: Object.entries(agent.tool_counts)
      .map(([tool, calls]) => ({ tool, calls, errors: countFailedCalls(agent, tool), p95_ms: p95(tool) }))
      .sort((a, b) => b.calls - a.calls),
    latest: [...latest],
    resume: null,
    request: null,
  }
}

function pathTo(agent: Agent, byId: ReadonlyMap<string, Agent>): string[] {
  const path: string[] = []
  const seen = new Set<string>()
  for (let at: Agent | undefined = agent; at && !seen.has(at.id); ) {
    seen.add(at.id)
    path.unshift(at.id)
    at = at.parent_id === null ? undefined : byId.get(at.parent_id)
  }
  return path
}
