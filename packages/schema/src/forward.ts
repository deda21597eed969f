import { z } from 'zod'
import { FORWARDED } from './team-config.ts'
import { timestamp } from './time.ts'

/** What stands between this computer and its hub. */
export const forwardProblem = z.object({
  kind: z.enum(['unreachable', 'silent', 'tls', 'token', 'address', 'busy', 'too_large', 'invalid']),
  message: z.string(),
  next: z.string(),
})
export type ForwardProblem = z.infer<typeof forwardProblem>

/** Why an event was not taken, and what to do before it is sent once more. */
export const forwardRefusal = z.object({ message: z.string(), next: z.string(), at: timestamp })

/** How sending to the hub goes. Totals are of this hub, over restarts. */
export const forwardStatus = z.object({
  to: z.string(),
  what: z.enum(FORWARDED),
  /** `failing` while the hub has not taken the last batch yet. */
  state: z.enum(['idle', 'sending', 'failing']),
  /** The hub has everything up to this seq. */
  seq: z.int(),
  waiting: z.object({
    events: z.int(),
    /** As they are stored; of many, estimated by a sample. */
    bytes: z.int(),
    /** The time of the oldest of them. */
    oldest_ts: timestamp.nullable(),
  }),
  sent: z.object({
    events: z.int(),
    bytes: z.int(),
    /** What went over the wire for them. */
    compressed_bytes: z.int(),
    events_per_second: z.number(),
    bytes_per_second: z.number(),
    last_at: timestamp.nullable(),
  }),
  /** Attempts that the hub did not take, since this process started. */
  retries: z.int(),
  /** Events that the hub refused for good, each for itself. */
  refused: z.int(),
  /** Why the last of them was. They are kept here as all events are. */
  refused_why: forwardRefusal.nullable(),
  /** Events that went unsent, because more waited than `forward.max_waiting_mb`. */
  lost: z.int(),
  lost_at: timestamp.nullable(),
  problem: forwardProblem.extend({ at: timestamp, since: timestamp }).nullable(),
  /** Sessions that are sent whole; null where none are. */
  transcripts: z.object({ waiting: z.int(), sent: z.int(), problem: z.string().nullable() }).nullable(),
})
export type ForwardStatus = z.infer<typeof forwardStatus>

/** `POST /api/forward`: the settings of `forward` are read again. */
export const forwardRequest = z.strictObject({
  /** Everything that is there is sent to this hub, also what it has already. */
  from_start: z.boolean('must be true or false').default(false),
})
export const forwardReply = z.object({ forward: forwardStatus.nullable() })
