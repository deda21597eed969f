import type { Stats } from 'node:fs'
import { type Place, startPlace } from '../tail/file-position.ts'

/**
 * Live leaves a transcript to Sessions when it was last written longer ago than this before it is first seen.
 */
export const RECENT_MS = 1_800_000
/** Live also reports what happened within this time in a transcript that is still being written. */
const BACK_MS = 21_600_000
/** Only the end of a longer file is read. */
const MOST_BACK = 8_388_608
/** The client writes a row shortly after the row's timestamp. */
const LEEWAY_MS = 60_000

export interface Beginning {
  readonly place: Place
  /** This is true when the file is read from its first row. */
  readonly whole: boolean
}

export const beginAt = (file: string, size: number): Beginning =>
  size <= MOST_BACK
    ? { place: startPlace(file), whole: true }
    : {
        place: { file, offset: size - MOST_BACK, before: '', lines: 0, skipping: true },
        whole: false,
      }

/**
 * Returns the time from which rows count. Rows that are older than the file were copied into it from another
 * session. When hooks reported a session before transcripts were ever read here, its earlier rows are skipped
 * too, because those hook events have no key in common with a row.
 */
export function countFrom(
  now: number,
  { birthtimeMs }: Pick<Stats, 'birthtimeMs'>,
  session: { readonly startedAt: number | undefined; readonly since: number },
): number {
  const told = (session.startedAt ?? Number.POSITIVE_INFINITY) < session.since ? session.since : 0
  return Math.max(now - BACK_MS, birthtimeMs - LEEWAY_MS, told)
}
