import { z } from 'zod'
import { timeZone } from './time.ts'

/**
 * Which sessions count: those of every agent, or only those of Hermes as Hermes itself counts them.
 */
export const achievementsView = z.enum(['all', 'hermes'])
export type AchievementsView = z.infer<typeof achievementsView>

export const tierName = z.enum(['Copper', 'Silver', 'Gold', 'Diamond', 'Olympian'])

/** Seconds since 1970, as Hermes writes them. */
const seconds = z.number()

const evidence = z.object({
  session_id: z.string(),
  title: z.string(),
  value: z.int(),
  /**
   * The source of the session, as in past sessions. Missing if all sessions are of Hermes, and in
   * data its plugin wrote.
   */
  source: z.string().optional(),
})
/** The session that contributed most so far, unlocked or not. */
const bestSession = z.object({
  source: z.string(),
  session_id: z.string(),
  title: z.string(),
  value: z.int(),
})

/**
 * One achievement as people see it. What a secret achievement requires is hidden until there is
 * some progress.
 */
export const achievementItem = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  kind: z.enum(['lifetime', 'best_session', 'multi_condition']),
  icon: z.string(),
  secret: z.literal(true).optional(),
  threshold_metric: z.string().optional(),
  tiers: z.array(z.object({ name: tierName, threshold: z.int() })).optional(),
  /** Each with its progress and a short name. */
  requirements: z
    .array(z.object({ metric: z.string(), gte: z.int(), value: z.int(), label: z.string() }))
    .optional(),
  criteria: z.string(),
  unlocked: z.boolean(),
  discovered: z.boolean(),
  state: z.enum(['unlocked', 'discovered', 'secret']),
  tier: tierName.nullable(),
  progress: z.int(),
  next_tier: tierName.nullable(),
  next_threshold: z.int().nullable(),
  progress_pct: z.int(),
  /** For unlocked achievements: when, by which session, and when each tier was reached. */
  unlocked_at: seconds.nullable().optional(),
  tier_dates: z.partialRecord(tierName, seconds).optional(),
  evidence: evidence.nullable().optional(),
  /**
   * Missing if no session contributed, if the session was forgotten, and for an undiscovered
   * secret.
   */
  best_session: bestSession.optional(),
})
export type AchievementItem = z.infer<typeof achievementItem>

export const scanState = z.enum(['idle', 'running', 'failed'])

export const scanStatus = z.object({
  state: scanState,
  started_at: seconds.nullable(),
  finished_at: seconds.nullable(),
  last_error: z.string().nullable(),
  last_duration_ms: z.int().nullable(),
  run_count: z.int(),
  /** The active run, or the last one. */
  run_id: z.string().nullable(),
  /** How many sessions have been read, and how many must be. */
  progress: z.object({ done: z.int(), total: z.int() }).nullable(),
  ttl_seconds: z.int(),
  snapshot_generated_at: seconds.nullable(),
  snapshot_age_seconds: z.number().nullable(),
  snapshot_stale: z.boolean(),
})
export type ScanStatus = z.infer<typeof scanStatus>

export const scanMeta = z.object({
  duration_ms: z.int(),
  sessions_scanned: z.int(),
  messages_scanned: z.int(),
  /**
   * `pending`: nothing was read yet. `in_progress`: some sessions were read. `incremental`: some
   * were known from before.
   */
  mode: z.enum(['pending', 'in_progress', 'full', 'incremental']),
  error: z.string().nullable(),
  sessions_total: z.int(),
  sessions_rescanned: z.int(),
  sessions_reused: z.int(),
  sessions_scanned_so_far: z.int().optional(),
  sessions_expected_total: z.int().optional(),
  /** What could not be read, at most the first hundred. */
  skipped: z.array(z.object({ place: z.string(), reason: z.string() })),
  status: scanStatus.optional(),
})
export type ScanMeta = z.infer<typeof scanMeta>

export const achievementsReply = z.object({
  generated_at: seconds,
  is_stale: z.boolean(),
  scan_meta: scanMeta,
  achievements: z.array(achievementItem),
  unlocked_count: z.int(),
  discovered_count: z.int(),
  secret_count: z.int(),
  total_count: z.int(),
  error: z.string().nullable(),
  view: achievementsView,
  time_zone: z.string(),
  /** The underlying metrics, if requested. */
  aggregate: z.record(z.string(), z.int()).optional(),
})
export type AchievementsReply = z.infer<typeof achievementsReply>

/** Which sessions count, and in which time zone. */
const scopeFields = {
  source: achievementsView.default('all'),
  /** A database of Hermes other than the one in its home; it has a state of its own. */
  hermes_db: z
    .string()
    .regex(/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/, 'must be an absolute path')
    .optional(),
  /** A time zone other than that of the daemon; its unlocks are stored separately. */
  tz: timeZone.optional(),
}

export const achievementsQuery = z.strictObject({
  ...scopeFields,
  /** `0` answers at once with the current state. */
  wait: z.stringbool().default(true),
  /** `1` includes the underlying metrics. */
  aggregate: z.stringbool().default(false),
})
export type AchievementsQuery = z.infer<typeof achievementsQuery>

export const viewQuery = z.strictObject(scopeFields)
export type ViewQuery = z.infer<typeof viewQuery>

export const rescanInput = z.strictObject({
  /** Reads every session again, including unchanged ones. */
  full: z.boolean().default(false),
  ...scopeFields,
})
export const rescanReply = z.object({ ok: z.literal(true), run_id: z.string(), status: scanStatus })
export type RescanReply = z.infer<typeof rescanReply>

export const recentUnlocksReply = z.array(achievementItem)

export const sessionBadgesReply = z.object({ session_id: z.string(), badges: z.array(achievementItem) })
export type SessionBadgesReply = z.infer<typeof sessionBadgesReply>

export const resetInput = z.strictObject({
  /** Confirms the reset, because the dates of all unlocks are lost. */
  confirm: z.literal('reset', 'must be "reset" to confirm: every unlock date will be lost'),
  ...scopeFields,
})
export const resetReply = z.object({ ok: z.literal(true), unlocks_removed: z.int() })
