import { type Achievement, tiered } from '../achievement.ts'

/** Achievements of several categories that were added later and come last in theirs. */
export const LATER: readonly Achievement[] = [
  tiered(
    {
      id: 'toolset_cartographer',
      name: 'Toolset Cartographer',
      category: 'Hermes Native',
      icon: 'compass',
      description: 'Toolsets found and turned on.',
    },
    'toolset_events',
    [20, 60, 200, 600, 1500],
  ),
  tiered(
    {
      id: 'config_surgeon',
      name: 'Config Surgeon',
      category: 'Hermes Native',
      icon: 'key',
      description: 'Configuration files opened.',
    },
    'config_events',
    [100, 300, 1000, 3000, 10000],
  ),
  tiered(
    {
      id: 'rebase_acrobat',
      name: 'Rebase Acrobat',
      category: 'Vibe Coding',
      icon: 'branch',
      description: 'Branches merged, rebased and fetched.',
    },
    'git_history_events',
    [10, 30, 100, 300, 800],
  ),
  tiered(
    {
      id: 'test_suite_tamer',
      name: 'Test Suite Tamer',
      category: 'Tool Mastery',
      icon: 'daemon',
      description: 'Tests run and passed.',
    },
    'test_events',
    [100, 300, 800, 2400, 6000],
  ),
  tiered(
    {
      id: 'screenshot_hunter',
      name: 'Screenshot Hunter',
      category: 'Tool Mastery',
      icon: 'eye',
      description: 'Screens captured and compared.',
    },
    'screenshot_events',
    [50, 150, 500, 1500, 5000],
  ),
]
