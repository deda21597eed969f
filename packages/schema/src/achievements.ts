import { z } from 'zod'
import { timeZone } from './time-zone.ts'

/** Whose sessions count: those of every agent, or Hermes' alone as Hermes itself counts them. */
export const achievementsView = z.enum(['all', 'hermes'])
export type AchievementsView = z.infer<typeof achievementsView>

export const tierName = z.enum(['Copper', 'Silver', 'Gold', 'Diamond', 'Olympian'])

/** Seconds since 1970, as Hermes writes them. */
const seconds = z.number()

/** The session that shows it. It says whose it is unless it is Hermes', as whose plugin it is shaped. */
const evidence = z.object({
  session_id: z.string(),
  title: z.string(),
  value: z.int(),
  source: z.string().optional(),
})

/** One achievement as people see it. What a secret counts and how much of it is wanted is not told before there is any of it. */
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
  /** Each with how much of it there is, and its name in a word or two. */
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
  /** Of what is unlocked: when, by the session that made it so, and when each of its tiers. */
  unlocked_at: seconds.nullable().optional(),
  tier_dates: z.partialRecord(tierName, seconds).optional(),
  evidence: evidence.nullable().optional(),
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
  /** The run that is under way, or the last one. */
  run_id: z.string().nullable(),
  /** Sessions looked at so far, of those that have to be. */
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
  /** `pending`: nothing was read yet. `in_progress`: of some sessions. `incremental`: some were known from before. */
  mode: z.enum(['pending', 'in_progress', 'full', 'incremental', 'failed']),
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
  /** The metrics behind it, where they were asked for. */
  aggregate: z.record(z.string(), z.int()).optional(),
})
export type AchievementsReply = z.infer<typeof achievementsReply>

/** Which sessions, and by whose clock. */
const asked = {
  source: achievementsView.default('all'),
  /** Another database of Hermes than the one in its home; it has a state of its own. */
  hermes_db: z
    .string()
    .regex(/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/, 'must be an absolute path')
    .optional(),
  /** Another time zone than that of the daemon; what is unlocked by it is kept apart. */
  tz: timeZone.optional(),
}

export const achievementsQuery = z.strictObject({
  ...asked,
  /** `0`: answer at once with what there is. */
  wait: z.stringbool().default(true),
  /** `1`: with the metrics behind it. */
  aggregate: z.stringbool().default(false),
})
export type AchievementsQuery = z.infer<typeof achievementsQuery>

export const viewQuery = z.strictObject(asked)
export type ViewQuery = z.infer<typeof viewQuery>

export const rescanInput = z.strictObject({
  /** Read every session again, also those that did not change. */
  full: z.boolean().default(false),
  ...asked,
})
export const rescanReply = z.object({ ok: z.literal(true), run_id: z.string(), status: scanStatus })
export type RescanReply = z.infer<typeof rescanReply>

export const recentUnlocksReply = z.array(achievementItem)

export const sessionBadgesReply = z.object({ session_id: z.string(), badges: z.array(achievementItem) })
export type SessionBadgesReply = z.infer<typeof sessionBadgesReply>

export const resetInput = z.strictObject({
  /** The word that says it is meant: every date of an unlock is lost. */
  confirm: z.literal('reset', 'must be "reset": every date of an unlock is lost, so say it is meant'),
  ...asked,
})
export const resetReply = z.object({ ok: z.literal(true), unlocks_removed: z.int() })
