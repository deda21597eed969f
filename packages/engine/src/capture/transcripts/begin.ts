import type { Stats } from 'node:fs'
import { type Place, startOf } from '../tail/place.ts'

/** A transcript that nobody wrote to for longer is past when it is first met: Sessions has it. */
export const RECENT_MS = 1_800_000
/** Of one that is written to, what happened in this time is told too. */
const BACK_MS = 21_600_000
/** Of a long file only the end is read. */
const MOST_BACK = 8_388_608
/** A row is written a moment after it was made. */
const LEEWAY_MS = 60_000

export interface Beginning {
  readonly place: Place
  /** The file is read from its first row on. */
  readonly whole: boolean
}

export const beginAt = (file: string, size: number): Beginning =>
  size <= MOST_BACK
    ? { place: startOf(file), whole: true }
    : {
        place: { file, offset: size - MOST_BACK, before: '', lines: 0, skipping: true },
        whole: false,
      }

/**
 * From when on rows count. What is older than the file itself was copied into it from another session. Of a session whose hooks told
 * the ledger before transcripts were ever read, the rest is for them: what they told then has no key in common with a row.
 */
export function countFrom(
  now: number,
  { birthtimeMs }: Pick<Stats, 'birthtimeMs'>,
  session: { readonly startedAt: number | undefined; readonly since: number },
): number {
  const told = (session.startedAt ?? Number.POSITIVE_INFINITY) < session.since ? session.since : 0
  return Math.max(now - BACK_MS, birthtimeMs - LEEWAY_MS, told)
}
