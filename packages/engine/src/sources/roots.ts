/**
 * Walks up to the topmost ancestor. If an ancestor is unknown or the chain is a cycle, the thing itself is
 * the root.
 */
export function findRoot(id: string, findParent: (id: string) => string | null | undefined): string {
  const seen = new Set<string>()
  let top = id
  for (let next: string | undefined = id; next !== undefined; ) {
    if (seen.has(next)) return id
    seen.add(next)
    top = next
    const parent: string | null | undefined = findParent(next)
    next = parent === null || parent === undefined || findParent(parent) === undefined ? undefined : parent
  }
  return top
}
