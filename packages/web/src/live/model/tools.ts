import type { Agent, ToolStats } from '@panoptes/schema'
import { failedCalls } from '@panoptes/schema/reading'
import type { GraphSession, ToolPill } from './graph.ts'

export const PILLS = 3

type Count = Pick<ToolPill, 'calls' | 'errors'>

/** The most used tools of a session: three by name, the rest combined. */
export function buildPills(
  source: string,
  agents: readonly Agent[],
  stats: readonly ToolStats[],
): Pick<GraphSession, 'tools' | 'moreTools'> {
  const counts = new Map<string, Count>()
  for (const agent of agents)
    for (const [tool, calls] of Object.entries(agent.tool_counts))
      counts.set(tool, sum([{ calls, errors: failedCalls(agent, tool) }, counts.get(tool) ?? NONE]))
  const all = [...counts]
    .sort(([a, x], [b, y]) => y.calls - x.calls || (a < b ? -1 : 1))
    .map(([tool, count]): ToolPill => {
      const toolStats = stats.find((one) => one.source === source && one.tool === tool)
      return { tool, ...count, p95_ms: toolStats?.p95_ms ?? null }
    })
  return { tools: all.slice(0, PILLS), moreTools: together(all.slice(PILLS)) }
}

const NONE: Count = { calls: 0, errors: 0 }

/** Combines several tools into one; null if there are none. */
export const together = (tools: readonly Count[]): GraphSession['moreTools'] =>
  tools.length === 0 ? null : { tools: tools.length, ...sum(tools) }

const sum = (counts: readonly Count[]): Count =>
  counts.reduce(
    (so, { calls, errors }) => ({
      calls: so.calls + calls,
      errors: so.errors === null || errors === null ? null : so.errors + errors,
    }),
    NONE,
  )
