import { z } from 'zod'
import { FORWARDED } from './team-config.ts'
import { timestamp } from './time.ts'

/** What prevents this computer from reaching its hub. */
export const forwardProblem = z.object({
  kind: z.enum(['unreachable', 'silent', 'tls', 'token', 'address', 'busy', 'too_large', 'invalid']),
  message: z.string(),
  next: z.string(),
})
export type ForwardProblem = z.infer<typeof forwardProblem>

/** Why an event was rejected, and what to do before it is sent again. */
export const forwardRefusal = z.object({ message: z.string(), next: z.string(), at: timestamp })

/** The state of forwarding to the hub. Totals are per hub and survive restarts. */
export const forwardStatus = z.object({
  to: z.string(),
  what: z.enum(FORWARDED),
  /** `failing` while the hub has not accepted the last batch yet. */
  state: z.enum(['idle', 'sending', 'failing']),
  /** The hub has everything up to this seq. */
  seq: z.int(),
  waiting: z.object({
    events: z.int(),
    /** The stored size; estimated from a sample if there are many. */
    bytes: z.int(),
    /** The time of the oldest waiting event. */
    oldest_ts: timestamp.nullable(),
  }),
  sent: z.object({
    events: z.int(),
    bytes: z.int(),
    /** The number of bytes sent over the network for them. */
    compressed_bytes: z.int(),
    events_per_second: z.number(),
    bytes_per_second: z.number(),
    last_at: timestamp.nullable(),
  }),
  /** Failed attempts since this process started. */
  retries: z.int(),
  /** Events that the hub rejected for good, each individually. */
  refused: z.int(),
  /** Why the last one was rejected. The events stay in the local store. */
  refused_why: forwardRefusal.nullable(),
  /** Events dropped unsent, because more were waiting than `forward.max_waiting_mb` allows. */
  lost: z.int(),
  lost_at: timestamp.nullable(),
  problem: forwardProblem.extend({ at: timestamp, since: timestamp }).nullable(),
  /** Sessions that are sent with their transcripts; null if none are. */
  transcripts: z.object({ waiting: z.int(), sent: z.int(), problem: z.string().nullable() }).nullable(),
})
export type ForwardStatus = z.infer<typeof forwardStatus>

/** `POST /api/forward`: reads the `forward` settings again. */
export const forwardRequest = z.strictObject({
  /** Sends everything stored to this hub, including what it already has. */
  from_start: z.boolean('must be true or false').default(false),
})
export const forwardReply = z.object({ forward: forwardStatus.nullable() })
