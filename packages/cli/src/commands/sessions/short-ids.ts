const LEAST = 8

/** Shortens ids to unique prefixes within a list. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids)].sort()
  const lengths = new Map(
    sorted.map((id, at) => {
      const like = Math.max(common(id, sorted[at - 1] ?? ''), common(id, sorted[at + 1] ?? ''))
      return [id, Math.max(LEAST, like + 1)] as const
    }),
  )
  return (id) => id.slice(0, lengths.get(id) ?? LEAST)
}

/** The length of the common prefix. */
function common(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}
