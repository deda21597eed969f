import { z } from 'zod'
import { note, tag } from './annotations.ts'
import { sourceName } from './event.ts'
import { message, session, sessionAgent } from './session.ts'
import { timestamp, timestampQuery } from './time.ts'

/** The cost of replies, and how many have an unknown cost. */
export const spent = z.object({
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  reasoning: z.int(),
  cost_micro_usd: z.int(),
  usage_unknown: z.int(),
  cost_unknown: z.int(),
})
export type Spent = z.infer<typeof spent>

/** A past session as the index knows it. */
export const pastSession = session.extend({
  /** Where its source stores it. */
  place: z.string(),
  /** The computer it is from, if sessions of several are stored. */
  host: z.string().optional(),
  messages: z.int(),
  tool_calls: z.int(),
  errors: z.int(),
  spent,
  /**
   * What its client says it spent outside the transcript; null if it reports nothing comparable.
   */
  outside_micro_usd: z.int().nullable().optional(),
  /** Number of messages in each twentieth of its duration. */
  activity: z.array(z.int()),
  /** True if its source no longer has it, so that only the archive of Panoptes does. */
  archived: z.boolean().optional(),
  /** The tags a person gave it. */
  tags: z.array(tag),
  note: note.nullable(),
})
export type PastSession = z.infer<typeof pastSession>

const filter = {
  /** An id or a prefix of it. */
  id: z.string().optional(),
  source: z.string().optional(),
  project: z.string().optional(),
  /** The computer it is from. */
  host: z.string().optional(),
  model: z.string().optional(),
  tool: z.string().optional(),
  tag: z.string().optional(),
  since: timestampQuery.optional(),
  until: timestampQuery.optional(),
  errors: z.stringbool().optional(),
  min_cost_micro_usd: z.coerce.number().int().min(0).optional(),
}

/** The maximum number of rows in one answer. */
export const MOST_LISTED = 1_000
const limit = z.coerce.number().int().min(1).max(MOST_LISTED)

export const pastSessionsQuery = z.strictObject({
  ...filter,
  limit: limit.default(100),
  offset: z.coerce.number().int().min(0).default(0),
})
export const pastSessionsReply = z.array(pastSession)

export const searchQuery = z.strictObject({
  ...filter,
  q: z.string().max(1_000),
  limit: limit.default(20),
  /** Skips this many of the best matches. */
  offset: z.coerce.number().int().min(0).max(MOST_LISTED).default(0),
})

/**
 * The totals of a group of sessions: by source, project, computer, model, tool or day. By model or
 * tool, a session counts once for each it used, with only that one's share.
 */
export const statsRow = z.object({
  name: z.string(),
  sessions: z.int(),
  /** Null by tool, because a message may call several. */
  messages: z.int().nullable(),
  tool_calls: z.int(),
  errors: z.int(),
  /** Null by tool, because the cost of a reply belongs to no single tool. */
  spent: spent.nullable(),
  /**
   * What clients say they spent outside their transcripts. Absent by model and by tool, because it
   * is reported per session.
   */
  outside_micro_usd: z.int().optional(),
  /** Number of sessions where that is unknown. */
  outside_unknown: z.int().optional(),
})
export type StatsRow = z.infer<typeof statsRow>
export const statsGroup = z.enum(['source', 'project', 'host', 'model', 'tool', 'day'])
export type StatsGroup = z.infer<typeof statsGroup>
export const statsQuery = z.strictObject({ ...filter, by: statsGroup.default('source') })
export const statsReply = z.array(statsRow)

/** A message that a search found. */
export const foundMessage = z.object({
  source: sourceName,
  session_id: z.string(),
  /** Its position in the session, from 0. */
  n: z.int(),
  id: z.string(),
  agent_id: z.string(),
  role: message.shape.role,
  ts: timestamp.nullable(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  /** True if only the prompts of its session are left. */
  prompts_only: z.boolean().optional(),
  /** The text around the first match; null if the message no longer exists. */
  snippet: z.string().nullable(),
})
export type FoundMessage = z.infer<typeof foundMessage>
export const searchReply = z.array(foundMessage)

export const transcriptQuery = z.strictObject({
  from: z.coerce.number().int().min(0).default(0),
  limit: limit.default(200),
})

/**
 * A message with its price. In a transcript, long texts, inputs and images are cut: such a block
 * counts the missing characters in `left_out`, and the message is `cut`. A message requested by its
 * number is complete.
 */
export const pastMessage = message.extend({
  /** Its position in the session, from 0. */
  n: z.int(),
  /** Null if the price or the tokens are unknown or absent. */
  cost_micro_usd: z.int().nullable(),
  cut: z.boolean(),
})
export type PastMessage = z.infer<typeof pastMessage>

/** An agent of a past session, with the usage of all its replies. */
export const pastAgent = sessionAgent.extend({ messages: z.int(), spent })
export type PastAgent = z.infer<typeof pastAgent>

/**
 * A part of a session, read from its source. It is shorter than requested if its messages are
 * large.
 */
/** A part of a session that could not be read and was skipped. */
export const unreadPart = z.object({ place: z.string(), reason: z.string() })
export type UnreadPart = z.infer<typeof unreadPart>

export const transcriptReply = z.object({
  session: pastSession,
  agents: z.array(pastAgent),
  messages: z.array(pastMessage),
  /** Where the next page begins; null at the end. */
  next: z.int().nullable(),
  /** Unreadable parts among these messages: how many, and the first one. */
  unread: z.int(),
  unread_parts: z.array(unreadPart),
})
export type TranscriptReply = z.infer<typeof transcriptReply>

export const exportFormat = z.enum(['jsonl', 'markdown', 'html'])
export type ExportFormat = z.infer<typeof exportFormat>
export const sessionExportQuery = z.strictObject({ format: exportFormat.default('jsonl') })

export const indexStatus = z.object({
  source: sourceName,
  state: z.enum(['idle', 'running', 'paused', 'failed']),
  /** Sessions read so far, out of those that changed. */
  done: z.int(),
  total: z.int(),
  problem: z.string().nullable(),
})
export type IndexStatus = z.infer<typeof indexStatus>
export const indexStatusReply = z.array(indexStatus)

/** While paused, nothing new is read until it is resumed; a restart resumes it too. */
export const indexOrder = z.strictObject({ paused: z.boolean() })

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
