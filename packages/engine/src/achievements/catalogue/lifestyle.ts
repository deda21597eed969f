import { type Achievement, tiered } from '../achievement.ts'

export const LIFESTYLE: readonly Achievement[] = [
  tiered(
    {
      id: 'marathon_operator',
      name: 'Marathon Operator',
      category: 'Lifestyle',
      icon: 'marathon',
      description: 'Number of sessions.',
    },
    'session_count',
    [75, 200, 500, 1500, 5000],
  ),
  tiered(
    {
      id: 'weekend_warrior',
      name: 'Weekend Warrior',
      category: 'Lifestyle',
      icon: 'calendar',
      description: 'Sessions started on a Saturday or Sunday.',
    },
    'weekend_sessions',
    [25, 75, 200, 600, 1500],
  ),
  tiered(
    {
      id: 'night_shift_operator',
      name: 'Night Shift Operator',
      category: 'Lifestyle',
      icon: 'moon',
      description: 'Sessions started between 23:00 and 06:00.',
    },
    'night_sessions',
    [25, 75, 200, 600, 1500],
  ),
  tiered(
    {
      id: 'cache_hit_appreciator',
      name: 'Cache Hit Appreciator',
      category: 'Lifestyle',
      icon: 'cache',
      description: 'Mentions of cache hits.',
      secret: true,
    },
    'cache_events',
    [100, 300, 1000, 3000, 8000],
  ),
]
