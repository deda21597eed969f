export type ToolCounts = readonly { readonly tool: string; readonly calls: number }[]

/** How alike two uses of tools are: 0 where they have none in common, 1 where each has the same part in both (the cosine). */
export function alikeness(a: ToolCounts, b: ToolCounts): number {
  const [one, other] = [countsOf(a), countsOf(b)]
  const product = [...one].reduce((sum, [tool, calls]) => sum + calls * (other.get(tool) ?? 0), 0)
  const lengths = lengthOf(one) * lengthOf(other)
  return lengths === 0 ? 0 : Math.min(1, product / lengths)
}

function lengthOf(counts: ReadonlyMap<string, number>): number {
  let squares = 0
  for (const calls of counts.values()) squares += calls ** 2
  return Math.sqrt(squares)
}

/** Agents write the names of tools in their own way. */
function countsOf(tools: ToolCounts): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { tool, calls } of tools) {
    const name = tool.toLowerCase()
    counts.set(name, (counts.get(name) ?? 0) + calls)
  }
  return counts
}
