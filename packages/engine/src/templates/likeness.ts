type ToolCounts = readonly { readonly tool: string; readonly calls: number }[]

/** How often each tool was used. */
export interface ToolUse {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** Agents write the names of tools in their own way: their case does not count. */
export function toolUse(tools: ToolCounts): ToolUse {
  const counts = new Map<string, number>()
  for (const { tool, calls } of tools) {
    const name = tool.toLowerCase()
    counts.set(name, (counts.get(name) ?? 0) + calls)
  }
  let squares = 0
  for (const calls of counts.values()) squares += calls ** 2
  return { counts, length: Math.sqrt(squares) }
}

/** How alike two are: 0 where they have no tool in common, 1 where each tool has the same part in both (the cosine). */
export function alikeness(a: ToolUse, b: ToolUse): number {
  if (a.length === 0 || b.length === 0) return 0
  let product = 0
  for (const [tool, calls] of a.counts) product += calls * (b.counts.get(tool) ?? 0)
  return Math.min(1, product / a.length / b.length)
}
