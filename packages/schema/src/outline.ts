import { z } from 'zod'
import { pastAgent, spent } from './past.ts'
import { timestamp } from './time.ts'

/** A reply of a session's own agent, with all that its calls set going; in a long session several in a row. */
export const sessionStep = z.object({
  /** The place of its first message in the session, from 0 on. */
  n: z.int(),
  replies: z.int(),
  ts: timestamp.nullable(),
  tool_calls: z.int(),
  errors: z.int(),
  spent,
})
export type SessionStep = z.infer<typeof sessionStep>

/** A worker of a session, and where in the session it is. */
export const outlinedAgent = pastAgent.extend({
  /** The places of its first and its last message. */
  first: z.int().nullable(),
  last: z.int().nullable(),
  /** The message whose call made it; null where that is not known. */
  made_at: z.int().nullable(),
  model: z.string().nullable(),
  started_at: timestamp.nullable(),
  last_at: timestamp.nullable(),
  tool_calls: z.int(),
  errors: z.int(),
})
export type OutlinedAgent = z.infer<typeof outlinedAgent>

/** Something of a session that could not be read, and was passed over. */
export const unreadPart = z.object({ place: z.string(), reason: z.string() })
export type UnreadPart = z.infer<typeof unreadPart>

/** A whole session without its words: what each step took, where agents began, where calls failed. */
export const outlineReply = z.object({
  fingerprint: z.string(),
  steps: z.array(sessionStep),
  agents: z.array(outlinedAgent),
  /** Messages of the session's own agent with a failed call in them or in what they set going. */
  failed: z.array(z.int()),
  /** What agents took whose call is not known: it is in no step. */
  loose: spent,
  /** What could not be read: how often, and the first of it. */
  unread: z.int(),
  unread_parts: z.array(unreadPart),
})
export type OutlineReply = z.infer<typeof outlineReply>
