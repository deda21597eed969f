/** More different names than this are counted together, so that a row cannot grow without end. */
const MOST_NAMES = 200
const OTHER = '(other)'

export function tally(counts: Record<string, number>, name: string): void {
  const kept = isCounted(counts, name) || hasRoom(counts, name) ? name : OTHER
  counts[kept] = isCounted(counts, kept) ? (counts[kept] ?? 0) + 1 : 1
}

/** What an object inherits is no number, so a name such as "constructor" is not counted yet. */
const isCounted = (counts: Record<string, number>, name: string): boolean => typeof counts[name] === 'number'

const hasRoom = (counts: Record<string, number>, name: string): boolean =>
  name !== '__proto__' && Object.keys(counts).length < MOST_NAMES
