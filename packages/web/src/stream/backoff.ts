const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/** How long to wait before the next try: doubles from 1 s to 30 s, with jitter so that tabs do not come back together. */
export function backoff(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1))
  return Math.max(FIRST_MS, Math.round(full * (0.6 + 0.4 * random())))
}
