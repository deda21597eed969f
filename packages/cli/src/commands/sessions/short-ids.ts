const LEAST = 8

/** How ids are shortened in a list: to as much of each as none of the others begins with. */
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

/** How many letters both begin with. */
function common(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  return at
}
