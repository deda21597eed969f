import { z } from 'zod'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * A larger difference between the clock and the elapsed time is a jump. While Panoptes is stopped, the
 * elapsed time is unknown.
 */
const JUMP_WHILE_RUNNING_MS = HOUR_MS
const JUMP_WHILE_STOPPED_MS = DAY_MS
/** A clock that jumped is trusted again after Panoptes ran for this long. */
const BELIEVED_AFTER_MS = DAY_MS

const stored = z.object({
  /** The last trusted time, advanced by the measured elapsed time. */
  believed: z.number(),
  jump: z.object({ ahead_ms: z.number(), ran_ms: z.number() }).nullable(),
  /** The last time at which events were dropped because of their age. */
  dropped_at: z.number().nullable(),
})

/** The clock that determines the age of events. A jump is stored until the clock is trusted again. */
export type RetentionClock = z.infer<typeof stored>

export const CLOCK_MARK = 'retention-clock'

export function parseClock(text: string | undefined): RetentionClock | undefined {
  try {
    return stored.parse(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}

/** Without a stored clock, the newest event is the best known time. */
export const firstClock = (now: number, newest: number | null): RetentionClock => ({
  believed: newest === null ? now : Math.min(now, newest),
  jump: null,
  dropped_at: null,
})

/** Advances the clock. `elapsedMs` comes from a monotonic timer and is null if Panoptes was not running. */
export function advanceClock(clock: RetentionClock, now: number, elapsedMs: number | null): RetentionClock {
  const passed = elapsedMs ?? 0
  const believed = clock.believed + passed
  const ahead = now - believed
  const isJump = Math.abs(ahead) > (elapsedMs === null ? JUMP_WHILE_STOPPED_MS : JUMP_WHILE_RUNNING_MS)
  if (!isJump) return { ...clock, believed: now, jump: null }
  const isSame = clock.jump !== null && Math.sign(clock.jump.ahead_ms) === Math.sign(ahead)
  const ran = isSame && clock.jump !== null ? clock.jump.ran_ms + passed : 0
  if (ran >= BELIEVED_AFTER_MS) return { believed: now, jump: null, dropped_at: null }
  return { ...clock, believed, jump: { ahead_ms: ahead, ran_ms: ran } }
}

/** Whether events may be dropped because of their age: at most once an hour, and never during a jump. */
export const mayDrop = ({ believed, jump, dropped_at }: RetentionClock): boolean =>
  jump === null && (dropped_at === null || believed < dropped_at || believed - dropped_at >= HOUR_MS)

/** How long Panoptes must still run until a clock that jumped is trusted. */
export const waitsMs = ({ jump }: RetentionClock): number =>
  jump === null ? 0 : Math.max(0, BELIEVED_AFTER_MS - jump.ran_ms)
