import { z } from 'zod'
import { sourceName } from './event.ts'
import { note, tag } from './marks.ts'
import { message, session, sessionAgent } from './session.ts'
import { timestamp, timestampQuery } from './time.ts'

/** What replies cost; of some nothing is known, and those are counted. */
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

/** A session that was, as the index knows it. */
export const pastSession = session.extend({
  /** Where its source keeps it. */
  place: z.string(),
  /** The computer it is from, where sessions of several are kept. */
  host: z.string().optional(),
  messages: z.int(),
  tool_calls: z.int(),
  errors: z.int(),
  spent,
  /** Messages in each of twenty parts of its time. */
  activity: z.array(z.int()),
  /** What a person marked it with. */
  tags: z.array(tag),
  note: note.nullable(),
})
export type PastSession = z.infer<typeof pastSession>

const filter = {
  /** The id of one, or the beginning of it. */
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

/** Rows that one answer has at most. */
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
  /** So many of the best are left out: they were told before. */
  offset: z.coerce.number().int().min(0).max(MOST_LISTED).default(0),
})

/**
 * What the sessions of one name amount to: of one source, project, computer, model, tool or day. By model and tool, a session counts for each it
 * used, with what was that one's alone.
 */
export const statsRow = z.object({
  name: z.string(),
  sessions: z.int(),
  /** Null by tool: a message may call several. */
  messages: z.int().nullable(),
  tool_calls: z.int(),
  errors: z.int(),
  /** Null by tool: what a reply took is not one tool's. */
  spent: spent.nullable(),
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
  /** Its place in the session, from 0 on. */
  n: z.int(),
  id: z.string(),
  agent_id: z.string(),
  role: message.shape.role,
  ts: timestamp.nullable(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  /** The words around the first match; null when the message is no longer there. */
  snippet: z.string().nullable(),
})
export type FoundMessage = z.infer<typeof foundMessage>
export const searchReply = z.array(foundMessage)

export const transcriptQuery = z.strictObject({
  from: z.coerce.number().int().min(0).default(0),
  limit: limit.default(200),
})

/**
 * A message with its price. In a transcript long texts, inputs and images are cut: a block that was says how many characters are
 * left out in `left_out`, and the message is `cut`; asked for by its number it is whole.
 */
export const pastMessage = message.extend({
  /** Its place in the session, from 0 on. */
  n: z.int(),
  /** Null where the price or the tokens are not known, and where there are none. */
  cost_micro_usd: z.int().nullable(),
  cut: z.boolean(),
})
export type PastMessage = z.infer<typeof pastMessage>

/** A worker of a past session, with what all its replies took. */
export const pastAgent = sessionAgent.extend({ messages: z.int(), spent })
export type PastAgent = z.infer<typeof pastAgent>

/** A part of a session, read from its source. It is shorter than was asked for where its messages are large. */
export const transcriptReply = z.object({
  session: pastSession,
  agents: z.array(pastAgent),
  messages: z.array(pastMessage),
  /** Where it goes on; null at the end. */
  next: z.int().nullable(),
})
export type TranscriptReply = z.infer<typeof transcriptReply>

export const exportFormat = z.enum(['jsonl', 'markdown', 'html'])
export type ExportFormat = z.infer<typeof exportFormat>
export const sessionExportQuery = z.strictObject({ format: exportFormat.default('jsonl') })

export const indexStatus = z.object({
  source: sourceName,
  state: z.enum(['idle', 'running', 'paused', 'failed']),
  /** Sessions read, of those that changed. */
  done: z.int(),
  total: z.int(),
  problem: z.string().nullable(),
})
export type IndexStatus = z.infer<typeof indexStatus>
export const indexStatusReply = z.array(indexStatus)

/** Paused, nothing new is read until it goes on; a start goes on, too. */
export const indexOrder = z.strictObject({ paused: z.boolean() })
