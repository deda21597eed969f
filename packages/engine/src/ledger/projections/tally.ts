/** More different names than this are counted together, so that a row cannot grow without end. */
const MOST_NAMES = 200
const OTHER = '(other)'

export function tally(counts: Record<string, number>, name: string): void {
  const known = Object.hasOwn(counts, name)
  const kept = known || (name !== '__proto__' && Object.keys(counts).length < MOST_NAMES) ? name : OTHER
  counts[kept] = (Object.hasOwn(counts, kept) ? (counts[kept] ?? 0) : 0) + 1
}
