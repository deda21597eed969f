/** Names beyond this many are counted together, so that a row cannot grow without limit. */
const MOST_NAMES = 200
const OTHER = '(other)'

export function tally(counts: Record<string, number>, name: string): void {
  const counted = isCounted(counts, name) || hasRoom(counts, name) ? name : OTHER
  counts[counted] = isCounted(counts, counted) ? (counts[counted] ?? 0) + 1 : 1
}

/**
 * Checks for a number, because an object inherits properties: a name such as "constructor" exists without
 * being counted.
 */
const isCounted = (counts: Record<string, number>, name: string): boolean => typeof counts[name] === 'number'

const hasRoom = (counts: Record<string, number>, name: string): boolean =>
  name !== '__proto__' && Object.keys(counts).length < MOST_NAMES
