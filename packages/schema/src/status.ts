import { z } from 'zod'
import { forwardStatus } from './forward.ts'
import { timestamp } from './time.ts'
import { rejectedLine } from './wire.ts'

/** Totals over the whole history; kept with every append, never counted. */
export const counters = z.object({
  events: z.int(),
  by_kind: z.record(z.string(), z.int()),
  by_source: z.record(z.string(), z.int()),
  agents_spawned: z.int(),
  agents_done: z.int(),
  agents_failed: z.int(),
  tool_calls: z.int(),
  tool_errors: z.int(),
  skill_uses: z.int(),
  skill_successes: z.int(),
  claims: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cost_micro_usd: z.int(),
  cost_unknown: z.int(),
})
export type Counters = z.infer<typeof counters>

/** Something Panoptes found on this computer: an agent's files, or a provider of models. */
export const foundSource = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['agent', 'provider']),
  state: z.enum(['found', 'absent', 'unreadable']),
  path: z.string().nullable(),
  detail: z.string(),
  next: z.string().nullable(),
})
export type FoundSource = z.infer<typeof foundSource>

export const healthCheck = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['ok', 'warning', 'failed']),
  detail: z.string(),
  cause: z.string().nullable(),
  next: z.string().nullable(),
})
export type HealthCheck = z.infer<typeof healthCheck>

export const storageInfo = z.object({
  path: z.string(),
  engine: z.string(),
  bytes: z.int(),
  events: z.int(),
  first_seq: z.int(),
  last_seq: z.int(),
  first_ts: timestamp.nullable(),
  last_ts: timestamp.nullable(),
  schema_version: z.int(),
  retention: z.object({
    max_age_days: z.number().nullable(),
    max_bytes: z.int().nullable(),
    /** Of past sessions in the index; null keeps them as long as the agents do. */
    sessions_max_age_days: z.number().nullable(),
  }),
  last_backup: z.object({ path: z.string(), at: timestamp, bytes: z.int() }).nullable(),
})
export type StorageInfo = z.infer<typeof storageInfo>

/** How the stream is doing now. Absent figures are null: no event yet is not a lag of zero. */
export const flowInfo = z.object({
  events_per_second: z.number(),
  /** Events per second for each of the last 60 seconds, oldest first. */
  history: z.array(z.number()),
  lag_p50_ms: z.number().nullable(),
  lag_p99_ms: z.number().nullable(),
  clients: z.int(),
  missed: z.int(),
  rejected: z.int(),
  last_rejected: rejectedLine.nullable(),
})
export type FlowInfo = z.infer<typeof flowInfo>

export const tokenScope = z.enum(['full', 'ingest', 'gateway'])
export type TokenScope = z.infer<typeof tokenScope>

export const tokenInfo = z.object({
  scope: tokenScope,
  masked: z.string(),
  last_used: timestamp.nullable(),
})
export type TokenInfo = z.infer<typeof tokenInfo>

/** The bus in front of a hub's ledger. */
export const busStatus = z.object({
  /** Told only in the space of the hub's own computer, as what is wrong is. */
  where: z.string().optional(),
  /** Whether it takes what agents send. */
  taking: z.boolean(),
  /** Messages that are not in the ledger yet, and how long ago the oldest came. */
  waiting: z.int(),
  lag_ms: z.number(),
  problem: z.string().nullable(),
})
export type BusStatus = z.infer<typeof busStatus>

/** Everything the Settings and Events pages show, in one answer. */
export const statusReply = z.object({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  host: z.string(),
  /** This and the home are told only in the space of the computer that they are of. */
  pid: z.int().optional(),
  started_at: timestamp,
  now: timestamp,
  home: z.string().optional(),
  address: z.string(),
  /** What to type for the command where it runs: its name, or `npx panoptes`. */
  command: z.string(),
  counters,
  storage: storageInfo,
  flow: flowInfo,
  alive: z.int(),
  /** How sending to a hub goes; absent where nothing is sent. */
  forward: forwardStatus.optional(),
  /** Absent where there is no bus. */
  bus: busStatus.optional(),
})
export type StatusReply = z.infer<typeof statusReply>

export const sourcesReply = z.object({ sources: z.array(foundSource) })
export const healthReply = z.object({ checked_at: timestamp, checks: z.array(healthCheck) })
export const tokensReply = z.object({ tokens: z.array(tokenInfo) })
export const tokenRevealReply = z.object({ scope: tokenScope, token: z.string() })
