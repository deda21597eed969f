import type { AchievementItem } from '@panoptes/schema'

/** An achievement that is under way, but for what is said of it. */
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
