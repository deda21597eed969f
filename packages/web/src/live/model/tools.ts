import type { Agent, ToolStats } from '@panoptes/schema'
import type { GraphSession, ToolPill } from './graph.ts'

export const PILLS = 3

/** What the agents of a session called most: three tools by name, the rest as one. */
export function pillsOf(
  source: string,
  agents: readonly Agent[],
  stats: readonly ToolStats[],
): Pick<GraphSession, 'tools' | 'moreTools'> {
  const calls = new Map<string, number>()
  for (const { tool_counts } of agents)
    for (const tool in tool_counts) calls.set(tool, (calls.get(tool) ?? 0) + (tool_counts[tool] ?? 0))
  const all = [...calls]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([tool, count]): ToolPill => {
      const known = stats.find((one) => one.source === source && one.tool === tool)
      return { tool, calls: count, errors: null, p95_ms: known?.p95_ms ?? null }
    })
  const rest = all.slice(PILLS)
  if (rest.length === 0) return { tools: all, moreTools: null }
  return {
    tools: all.slice(0, PILLS),
    moreTools: { tools: rest.length, calls: rest.reduce((sum, pill) => sum + pill.calls, 0) },
  }
}
