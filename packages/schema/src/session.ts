import { z } from 'zod'
import { sourceName } from './event.ts'
import { timestamp } from './time.ts'

/** What the ledger knows of a session from its events. */
export const sessionSummary = z.object({
  source: sourceName,
  session_id: z.string(),
  /** The computer it was first heard of from; absent in what was kept by an older version. */
  host: z.string().optional(),
  project: z.string().nullable(),
  cwd: z.string().nullable(),
  title: z.string().nullable(),
  started_at: timestamp,
  last_at: timestamp,
  ended_at: timestamp.nullable(),
  events: z.int(),
})
export type SessionSummary = z.infer<typeof sessionSummary>

export const tokenUsage = z.object({
  input: z.int().nullable(),
  output: z.int().nullable(),
  cache_read: z.int().nullable(),
  cache_write: z.int().nullable(),
  /** The part of what was written to the cache that is kept for an hour: it has a price of its own. */
  cache_write_1h: z.int().nullable(),
  reasoning: z.int().nullable(),
})
export type TokenUsage = z.infer<typeof tokenUsage>

/** One session as its source keeps it. */
export const session = z.object({
  source: sourceName,
  id: z.string(),
  parent_id: z.string().nullable(),
  lineage: z.enum(['root', 'delegate', 'compression', 'branch', 'reset', 'subagent']),
  title: z.string().nullable(),
  project: z.string().nullable(),
  cwd: z.string().nullable(),
  git_branch: z.string().nullable(),
  /** The one that answered most. */
  model: z.string().nullable(),
  started_at: timestamp.nullable(),
  last_at: timestamp.nullable(),
  /** Only where the source says so. */
  ended_at: timestamp.nullable(),
  fingerprint: z.string(),
  /** Of the whole session, where its source says so instead of with each reply. */
  usage: tokenUsage.nullable().optional(),
  /** What the source itself says that it cost. */
  cost_micro_usd: z.int().nullable().optional(),
})
export type Session = z.infer<typeof session>

/** A worker inside a session; `main` is the session's own. */
export const sessionAgent = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  subagent_type: z.string().nullable(),
  description: z.string().nullable(),
  /** The call that made it. */
  tool_use_id: z.string().nullable(),
})
export type SessionAgent = z.infer<typeof sessionAgent>

export const contentBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('reasoning'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), media_type: z.string().nullable(), data: z.string().nullable() }),
  z.looseObject({ type: z.literal('tool_call'), id: z.string(), tool: z.string(), input: z.unknown() }),
  z.looseObject({
    type: z.literal('tool_result'),
    id: z.string(),
    ok: z.boolean().nullable(),
    text: z.string(),
    duration_ms: z.int().nullable(),
  }),
])
export type ContentBlock = z.infer<typeof contentBlock>

/** One message of a session, whatever its source calls it. */
export const message = z.looseObject({
  id: z.string(),
  session_id: z.string(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  ts: timestamp.nullable(),
  model: z.string().nullable(),
  agent_id: z.string(),
  content: z.array(contentBlock),
  /** Of the whole reply, once: absent where nothing was said of it. */
  usage: tokenUsage.nullable(),
  /** What the source itself says that the reply cost. */
  cost_micro_usd: z.int().nullable().optional(),
  /** A compaction's summary of what was before, and what compaction or a rewind took out of the conversation. */
  state: z.enum(['active', 'summary', 'compacted', 'rewound']),
  /** The client's own words, not shown to people by their client. */
  hidden: z.boolean(),
})
export type Message = z.infer<typeof message>
