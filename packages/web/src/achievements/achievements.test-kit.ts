import type { AchievementItem, AchievementsReply, ScanMeta, ScanStatus } from '@panoptes/schema'

/** An achievement in progress. */
export const item = (about: Partial<AchievementItem> = {}): AchievementItem => ({
  id: 'let_him_cook',
  name: 'Let Him Cook',
  description: 'Tool calls in one session.',
  category: 'Agent Autonomy',
  kind: 'best_session',
  icon: 'flame',
  threshold_metric: 'max_tool_calls_in_session',
  tiers: [
    { name: 'Copper', threshold: 100 },
    { name: 'Silver', threshold: 300 },
  ],
  criteria: 'Tool calls in one session: Copper 100, Silver 300',
  unlocked: false,
  discovered: true,
  state: 'discovered',
  tier: null,
  progress: 20,
  next_tier: 'Copper',
  next_threshold: 100,
  progress_pct: 20,
  ...about,
})

export const unlockedAt = (id: string, at: number, about: Partial<AchievementItem> = {}): AchievementItem =>
  item({
    id,
    name: id,
    unlocked: true,
    state: 'unlocked',
    tier: 'Copper',
    progress: 150,
    next_tier: 'Silver',
    next_threshold: 300,
    unlocked_at: at,
    tier_dates: { Copper: at },
    ...about,
  })

export const secret = (id: string): AchievementItem => ({
  id,
  name: '???',
  description: 'Hidden until you come across it.',
  category: 'Lifestyle',
  kind: 'lifetime',
  icon: 'secret',
  secret: true,
  criteria: 'It shows itself with the first step towards it.',
  unlocked: false,
  discovered: false,
  state: 'secret',
  tier: null,
  progress: 0,
  next_tier: null,
  next_threshold: null,
  progress_pct: 0,
})

export const scanStatus = (change: Partial<ScanStatus> = {}): ScanStatus => ({
  state: 'idle',
  started_at: Date.now() / 1_000 - 61,
  finished_at: Date.now() / 1_000 - 60,
  last_error: null,
  last_duration_ms: 900,
  run_count: 1,
  run_id: 'r1',
  progress: null,
  ttl_seconds: 120,
  snapshot_generated_at: Date.now() / 1_000 - 60,
  snapshot_age_seconds: 60,
  snapshot_stale: false,
  ...change,
})

export const scanMeta = (change: Partial<ScanMeta> = {}): ScanMeta => ({
  duration_ms: 900,
  sessions_scanned: 41,
  messages_scanned: 1_700,
  mode: 'full',
  error: null,
  sessions_total: 41,
  sessions_rescanned: 41,
  sessions_reused: 0,
  skipped: [],
  status: scanStatus(),
  ...change,
})

/** A reply counted a minute ago. */
export const achievementsReply = (
  items: readonly AchievementItem[],
  change: Partial<AchievementsReply> = {},
): AchievementsReply => {
  const count = (state: AchievementItem['state']) => items.filter((one) => one.state === state).length
  return {
    generated_at: Date.now() / 1_000 - 60,
    is_stale: false,
    scan_meta: scanMeta(),
    achievements: [...items],
    unlocked_count: count('unlocked'),
    discovered_count: count('discovered'),
    secret_count: count('secret'),
    total_count: items.length,
    error: null,
    view: 'all',
    time_zone: 'Europe/Berlin',
    ...change,
  }
}

/** The reply before anything was counted. */
export const uncounted = (change: Partial<AchievementsReply> = {}, status = scanStatus()) =>
  achievementsReply(catalogue(), {
    generated_at: 0,
    unlocked_count: 0,
    scan_meta: scanMeta({ mode: 'pending', sessions_total: 0, status }),
    ...change,
  })

const LONG = { source: 'claude-code', session_id: 'busy', title: 'A long session', value: 250 }

/** Let Him Cook, unlocked by a session with 250 tool calls. */
export const cook = (change: Partial<AchievementItem> = {}): AchievementItem =>
  item({
    tiers: [
      { name: 'Copper', threshold: 200 },
      { name: 'Silver', threshold: 500 },
    ],
    criteria: 'Tool calls in one session: Copper 200, Silver 500',
    unlocked: true,
    state: 'unlocked',
    tier: 'Copper',
    progress: 250,
    next_tier: 'Silver',
    next_threshold: 500,
    progress_pct: 50,
    unlocked_at: Date.now() / 1_000 - 600,
    tier_dates: { Copper: Date.now() / 1_000 - 600 },
    evidence: LONG,
    best_session: LONG,
    ...change,
  })

/**
 * Eight achievements of four categories, some unlocked, in progress or secret, and the given number of plain
 * ones.
 */
export const catalogue = (plain = 8): readonly AchievementItem[] => [
  cook(),
  item({
    id: 'full_send',
    name: 'Full Send',
    description: 'Commands in one session.',
    best_session: { ...LONG, value: 20 },
  }),
  item({
    id: 'all_round',
    name: 'All Round',
    kind: 'multi_condition',
    threshold_metric: undefined,
    tiers: undefined,
    next_tier: null,
    requirements: [
      { metric: 'web_calls', gte: 10, value: 12, label: 'web' },
      { metric: 'edits', gte: 10, value: 3, label: 'edits' },
    ],
  }),
  ...Array.from({ length: 5 }, (_, n) => secret(`secret_${n}`)),
  ...Array.from({ length: plain }, (_, n) =>
    n % 4 === 0
      ? unlockedAt(`done_${n}`, Date.now() / 1_000 - 864_000 - n, {
          name: `Done ${n}`,
          category: CATEGORIES[n % 3] ?? '',
        })
      : item({ id: `way_${n}`, name: `Way ${n}`, category: CATEGORIES[n % 3] ?? '', progress: n }),
  ),
]

const CATEGORIES = ['Agent Autonomy', 'Debugging', 'Tool Mastery']
