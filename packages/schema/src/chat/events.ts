import { z } from 'zod'
import { timestamp } from '../time.ts'

/** The event names of a chat stream; there are no others. */
export const CHAT_EVENTS = ['metadata', 'progress', 'chunk', 'error', 'done'] as const
export type ChatEventName = (typeof CHAT_EVENTS)[number]

/** The runtime that answers: `jarvis`, `hermes`, `acp:<name>`. */
export const runtimeId = z
  .string('must be the name of a runtime')
  .regex(/^(jarvis|hermes|acp:[\p{L}\p{N}._-]{1,64})$/u, 'must be jarvis, hermes or acp:<name>')
export type RuntimeId = z.infer<typeof runtimeId>

/** Part of every event. `seq` counts from 1 within a run, without gaps. */
const envelope = {
  v: z.literal(1),
  seq: z.int().min(1),
  ts: timestamp,
  conversation_id: z.string(),
  run_id: z.string(),
  runtime: runtimeId,
}

export const progressKind = z.enum([
  'context',
  'plan',
  'step',
  'tool',
  'subagent',
  'reasoning',
  'approval',
  'usage',
])
export type ProgressKind = z.infer<typeof progressKind>

export const progressStatus = z.enum(['started', 'running', 'completed', 'skipped', 'failed'])
export type ProgressStatus = z.infer<typeof progressStatus>

/** Why a run ended without an answer: a closed set. */
export const chatErrorCode = z.enum([
  'not_configured',
  'not_installed',
  'unreachable',
  'unauthorized',
  'rate_limited',
  'too_long',
  'provider_error',
  'timed_out',
  'malformed',
  'died',
  'interrupted',
  'refused',
  'internal',
])
export type ChatErrorCode = z.infer<typeof chatErrorCode>

/** Where in a run something went wrong. */
export const chatStage = z.enum(['context', 'dispatch', 'answer', 'store'])
export type ChatStage = z.infer<typeof chatStage>

/** Values that were not reported are absent, never 0. */
export const chatUsage = z.object({
  input: z.int().optional(),
  output: z.int().optional(),
  cache_read: z.int().optional(),
  cache_write: z.int().optional(),
  reasoning: z.int().optional(),
})
export type ChatUsage = z.infer<typeof chatUsage>

export const chatCost = z.object({
  usd: z.number().nullable(),
  /** `unknown` if any part has no price. */
  status: z.enum(['known', 'unknown']),
})

/** What a runtime reported besides its answer; never part of the message. */
export const chatAttachment = z.looseObject({
  runtime: runtimeId,
  kind: z.string(),
  title: z.string().optional(),
  data: z.unknown(),
})
export type ChatAttachment = z.infer<typeof chatAttachment>

export const metadataEvent = z.object({
  ...envelope,
  message_id: z.string(),
  user_message_id: z.string(),
  model: z.string().nullable(),
  state_revision: z.int(),
})

export const progressEvent = z.object({
  ...envelope,
  node_id: z.string(),
  parent_id: z.string().optional(),
  kind: progressKind,
  status: progressStatus,
  label: z.string(),
  detail: z.unknown().optional(),
  elapsed_ms: z.number().optional(),
  /** For an approval, the same id as in its detail. */
  request_id: z.string().optional(),
  choices: z.array(z.string()).optional(),
})

export const chunkEvent = z.object({ ...envelope, index: z.int().min(0), delta: z.string() })

export const errorEvent = z.object({
  ...envelope,
  code: chatErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  stage: chatStage,
  partial_message_id: z.string().optional(),
})

export const doneEvent = z.object({
  ...envelope,
  message_id: z.string(),
  outcome: z.enum(['completed', 'cancelled', 'length']),
  usage: chatUsage.optional(),
  cost: chatCost.optional(),
  duration_ms: z.number(),
  attachments: z.array(chatAttachment),
  state_revision: z.int(),
})

export type MetadataEvent = z.infer<typeof metadataEvent>
export type ProgressEvent = z.infer<typeof progressEvent>
export type ChunkEvent = z.infer<typeof chunkEvent>
export type ErrorEvent = z.infer<typeof errorEvent>
export type DoneEvent = z.infer<typeof doneEvent>

/** One event of a stream with its name. */
export type ChatEvent =
  | { readonly event: 'metadata'; readonly data: MetadataEvent }
  | { readonly event: 'progress'; readonly data: ProgressEvent }
  | { readonly event: 'chunk'; readonly data: ChunkEvent }
  | { readonly event: 'error'; readonly data: ErrorEvent }
  | { readonly event: 'done'; readonly data: DoneEvent }

export const chatEventSchemas = {
  metadata: metadataEvent,
  progress: progressEvent,
  chunk: chunkEvent,
  error: errorEvent,
  done: doneEvent,
} as const
