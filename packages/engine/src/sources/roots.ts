/**
 * What stands at the top of those that made each other. Where the one above is not known, or they go round in a circle, it is the
 * thing itself.
 */
export function rootOf(id: string, parentOf: (id: string) => string | null | undefined): string {
  const seen = new Set<string>()
  let top = id
  for (let next: string | undefined = id; next !== undefined; ) {
    if (seen.has(next)) return id
    seen.add(next)
    top = next
    const parent: string | null | undefined = parentOf(next)
    next = parent === null || parent === undefined || parentOf(parent) === undefined ? undefined : parent
  }
  return top
}
