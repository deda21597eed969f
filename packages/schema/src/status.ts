import { z } from 'zod'
import { rejectedLine } from './api.ts'
import { forwardStatus } from './forward.ts'
import { sourceHooks } from './hooks.ts'
import { timestamp } from './time.ts'

/** Totals over the whole history, updated with every append and never recounted. */
export const counters = z.object({
  events: z.int(),
  by_kind: z.record(z.string(), z.int()),
  by_source: z.record(z.string(), z.int()),
  /** The current number of sub-agents: each counts once, however often it was resumed. */
  agents_spawned: z.int(),
  agents_done: z.int(),
  agents_failed: z.int(),
  /** Sub-agents that were stopped or lost: neither done nor failed. */
  agents_stopped: z.int(),
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
/** How long an agent keeps its sessions before it deletes them. */
export const sessionRetention = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('days'), days: z.int() }),
  /** The agent keeps them until a person deletes them. */
  z.object({ kind: z.literal('unlimited') }),
  /** The reason says what to change, where that is known. */
  z.object({ kind: z.literal('unknown'), reason: z.string().nullable() }),
])
export type SessionRetention = z.infer<typeof sessionRetention>

/** What Panoptes has saved of an agent's sessions. */
export const savedSessions = z.discriminatedUnion('state', [
  /** The archive is turned off. Sessions that were saved before stay. */
  z.object({ state: z.literal('off'), sessions: z.int() }),
  /** The first read is not complete. The counts are of the sessions that changed. */
  z.object({ state: z.literal('reading'), done: z.int(), total: z.int() }),
  z.object({ state: z.literal('paused') }),
  z.object({ state: z.literal('failed'), problem: z.string() }),
  z.object({
    state: z.literal('saved'),
    sessions: z.int(),
    /** How many of them the agent has deleted. */
    deleted: z.int(),
    /** Further sessions of which only the prompts are left. */
    prompts_only: z.int(),
  }),
])
export type SavedSessions = z.infer<typeof savedSessions>

export const foundSource = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['agent', 'provider']),
  state: z.enum(['found', 'absent', 'unreadable']),
  path: z.string().nullable(),
  detail: z.string(),
  next: z.string().nullable(),
  /** The state of its hooks; absent if it cannot have any. */
  hooks: sourceHooks.optional(),
  /** Present if it is an agent whose sessions Panoptes reads on this computer. */
  retention: sessionRetention.optional(),
  saved: savedSessions.optional(),
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
    /** How long past sessions stay in the index; null keeps them as long as the agents do. */
    sessions_max_age_days: z.number().nullable(),
  }),
  last_backup: z.object({ path: z.string(), at: timestamp, bytes: z.int() }).nullable(),
})
export type StorageInfo = z.infer<typeof storageInfo>

/**
 * The current state of the stream. Absent values are null, because no event yet is not a lag of
 * zero.
 */
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

/** The bus in front of a hub's event store. */
export const busStatus = z.object({
  /** Only shown in the space of the hub's own computer, as are its problems. */
  where: z.string().optional(),
  /** Whether it accepts events. */
  taking: z.boolean(),
  /** Messages that are not in the event store yet, and the age of the oldest. */
  waiting: z.int(),
  lag_ms: z.number(),
  problem: z.string().nullable(),
})
export type BusStatus = z.infer<typeof busStatus>

/** Everything the Settings and Events pages show, in one reply. */
export const statusReply = z.object({
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  host: z.string(),
  /** This and the home are only shown in the space of their own computer. */
  pid: z.int().optional(),
  started_at: timestamp,
  now: timestamp,
  home: z.string().optional(),
  address: z.string(),
  /** How to invoke the command on this computer: by its name, or as `npx panoptes`. */
  command: z.string(),
  counters,
  storage: storageInfo,
  flow: flowInfo,
  alive: z.int(),
  /** The state of forwarding to a hub; absent if nothing is forwarded. */
  forward: forwardStatus.optional(),
  /** Absent if there is no bus. */
  bus: busStatus.optional(),
})
export type StatusReply = z.infer<typeof statusReply>

export const sourcesReply = z.object({ sources: z.array(foundSource) })
export type SourcesReply = z.infer<typeof sourcesReply>
export const healthReply = z.object({ checked_at: timestamp, checks: z.array(healthCheck) })
export const tokensReply = z.object({ tokens: z.array(tokenInfo) })
export const tokenRevealReply = z.object({ scope: tokenScope, token: z.string() })
/** A browser does not get the new token, which is in its file. */
export const tokenRotateReply = z.object({ scope: tokenScope, token: z.string().optional() })

/** A signed-in browser, described in words. */
export const browserSession = z.object({
  id: z.string(),
  browser: z.string(),
  made_at: timestamp,
  used_at: timestamp,
})
export type BrowserSession = z.infer<typeof browserSession>
export const browsersReply = z.object({
  /** `current` marks the browser that asks. */
  browsers: z.array(browserSession.extend({ current: z.boolean() })),
})
export type BrowsersReply = z.infer<typeof browsersReply>
export const revokedReply = z.object({ revoked: z.int() })

/** The code that a browser shows. */
export const confirmRequest = z.strictObject({ code: z.string().min(1).max(40) })
export const confirmReply = z.object({ confirmed: z.string() })

/** `daemon.json`: which process serves this home, and where. */
export const daemonInfo = z.looseObject({
  pid: z.int().min(1),
  port: z.int().min(1).max(65_535),
  /** Without a trailing slash. */
  address: z.string().min(1),
  version: z.string(),
  started_at: timestamp,
})
export type DaemonInfo = z.infer<typeof daemonInfo>
