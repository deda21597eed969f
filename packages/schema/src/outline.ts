import { z } from 'zod'
import { pastAgent, spent, unreadPart } from './past-sessions.ts'
import { timestamp } from './time.ts'

/**
 * A reply of a session's main agent with everything its calls started; in a long session, several
 * consecutive replies.
 */
export const sessionStep = z.object({
  /** The position of its first message in the session, from 0. */
  n: z.int(),
  replies: z.int(),
  ts: timestamp.nullable(),
  tool_calls: z.int(),
  errors: z.int(),
  spent,
})
export type SessionStep = z.infer<typeof sessionStep>

/** An agent of a session and its position in the session. */
export const outlinedAgent = pastAgent.extend({
  /** The positions of its first and last message. */
  first: z.int().nullable(),
  last: z.int().nullable(),
  /** The message whose call started it; null if unknown. */
  made_at: z.int().nullable(),
  model: z.string().nullable(),
  started_at: timestamp.nullable(),
  last_at: timestamp.nullable(),
  tool_calls: z.int(),
  errors: z.int(),
})
export type OutlinedAgent = z.infer<typeof outlinedAgent>

/**
 * A whole session without its text: the usage of each step, where agents started and where calls
 * failed.
 */
export const outlineReply = z.object({
  fingerprint: z.string(),
  steps: z.array(sessionStep),
  agents: z.array(outlinedAgent),
  /** Messages of the main agent with a failed call, directly or in what they started. */
  failed: z.array(z.int()),
  /** The usage of agents whose call is unknown, which is in no step. */
  loose: spent,
  /** Unreadable parts: how many, and the first one. */
  unread: z.int(),
  unread_parts: z.array(unreadPart),
})
export type OutlineReply = z.infer<typeof outlineReply>
