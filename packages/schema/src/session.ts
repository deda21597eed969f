import { z } from 'zod'
import { outcome, sourceName } from './event.ts'
import { timestamp } from './time.ts'

/** What the event store knows about a session from its events. */
export const sessionSummary = z.object({
  source: sourceName,
  session_id: z.string(),
  /** The first computer that reported it; absent in data of older versions. */
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
  /** The part of cache writes that is cached for an hour, which has its own price. */
  cache_write_1h: z.int().nullable(),
  reasoning: z.int().nullable(),
})
export type TokenUsage = z.infer<typeof tokenUsage>

/**
 * Spending that a client reports besides the replies of its transcript: compaction, titles,
 * summaries. It is either the client's total, including the replies, or each additional kind of
 * call.
 */
export const clientSpending = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('total'),
    cost_micro_usd: z.int(),
    /** Half a unit of the last digit the client reports. */
    within_micro_usd: z.int(),
    /** Null if the client reports only money. */
    models: z.record(z.string(), z.object({ cost_micro_usd: z.int(), tokens: z.int() })).nullable(),
  }),
  z.object({
    kind: z.literal('calls'),
    calls: z.array(
      z.object({ model: z.string().nullable(), usage: tokenUsage, cost_micro_usd: z.int().nullable() }),
    ),
  }),
])
export type ClientSpending = z.infer<typeof clientSpending>

/** One session as its source stores it. */
export const session = z.object({
  source: sourceName,
  id: z.string(),
  parent_id: z.string().nullable(),
  lineage: z.enum(['root', 'delegate', 'compression', 'branch', 'reset', 'subagent']),
  title: z.string().nullable(),
  project: z.string().nullable(),
  cwd: z.string().nullable(),
  git_branch: z.string().nullable(),
  /** The model that answered most. */
  model: z.string().nullable(),
  started_at: timestamp.nullable(),
  last_at: timestamp.nullable(),
  /** Only if the source reports it. */
  ended_at: timestamp.nullable(),
  fingerprint: z.string(),
  /** The usage of the whole session, if its source reports that instead of usage per reply. */
  usage: tokenUsage.nullable().optional(),
  /** The cost that the source itself reports. */
  cost_micro_usd: z.int().nullable().optional(),
  /** Absent if the client reports nothing about it, or nothing for this session alone. */
  client_spending: clientSpending.optional(),
  /**
   * True if its agent deleted the transcript before Panoptes read it, so that only the prompts of
   * the person are left.
   */
  prompts_only: z.boolean().optional(),
})
export type Session = z.infer<typeof session>

/** An agent inside a session; `main` is the session's own. */
export const sessionAgent = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  subagent_type: z.string().nullable(),
  description: z.string().nullable(),
  /** The call that started it. */
  tool_use_id: z.string().nullable(),
  /** Present if it did not end by itself: it failed or was stopped. */
  outcome: outcome.nullable().optional(),
  /** How long its client says it worked. */
  duration_ms: z.int().nullable().optional(),
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

/** One message of a session. Each source has its own name for it. */
export const message = z.looseObject({
  id: z.string(),
  session_id: z.string(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  ts: timestamp.nullable(),
  model: z.string().nullable(),
  agent_id: z.string(),
  content: z.array(contentBlock),
  /** Usage of the whole reply, on one of its messages only. Absent if the source reported none. */
  usage: tokenUsage.nullable(),
  /** The cost of the reply that the source itself reports. */
  cost_micro_usd: z.int().nullable().optional(),
  /**
   * `summary` is a compaction's summary of earlier messages; `compacted` and `rewound` messages are
   * no longer part of the conversation.
   */
  state: z.enum(['active', 'summary', 'compacted', 'rewound']),
  /** Internal messages that the client does not show to people. */
  hidden: z.boolean(),
})
export type Message = z.infer<typeof message>
