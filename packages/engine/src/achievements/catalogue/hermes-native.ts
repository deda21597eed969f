import { type Achievement, tiered } from '../achievement.ts'

export const HERMES_NATIVE: readonly Achievement[] = [
  tiered(
    {
      id: 'skillsmith',
      name: 'Skillsmith',
      category: 'Hermes Native',
      icon: 'hammer_scroll',
      description: 'Skills used and mentioned.',
    },
    'skill_events',
    [5000, 15000, 40000, 100000, 250000],
  ),
  tiered(
    {
      id: 'skill_issue_skill_created',
      name: 'Skill Issue? Skill Created.',
      category: 'Hermes Native',
      icon: 'anvil',
      description: 'Skills created and changed.',
    },
    'skill_manage_events',
    [25, 75, 200, 600, 1500],
  ),
  tiered(
    {
      id: 'memory_keeper',
      name: 'Memory Keeper',
      category: 'Hermes Native',
      icon: 'crystal',
      description: 'Memory read and written.',
    },
    'memory_events',
    [100, 300, 1000, 3000, 8000],
  ),
  tiered(
    {
      id: 'memory_palace',
      name: 'Memory Palace',
      category: 'Hermes Native',
      icon: 'palace',
      description: 'Memory written, again and again.',
    },
    'memory_write_events',
    [100, 300, 1000, 3000, 8000],
  ),
  tiered(
    {
      id: 'context_dragon',
      name: 'Context Dragon',
      category: 'Hermes Native',
      icon: 'dragon',
      description: 'Context, tokens and caches under pressure.',
    },
    'context_events',
    [5000, 15000, 40000, 100000, 250000],
  ),
  tiered(
    {
      id: 'gateway_dweller',
      name: 'Gateway Dweller',
      category: 'Hermes Native',
      icon: 'antenna',
      description: 'Sessions through chat gateways.',
    },
    'gateway_events',
    [5000, 15000, 40000, 100000, 250000],
  ),
  tiered(
    {
      id: 'plugin_goblin',
      name: 'Plugin Goblin',
      category: 'Hermes Native',
      icon: 'puzzle',
      description: 'Plugins and their manifests.',
    },
    'plugin_events',
    [1000, 3000, 8000, 20000, 50000],
  ),
  tiered(
    {
      id: 'rollback_wizard',
      name: 'Rollback Wizard',
      category: 'Hermes Native',
      icon: 'rewind',
      description: 'Rollbacks to a checkpoint.',
      secret: true,
    },
    'rollback_events',
    [500, 1500, 4000, 10000, 25000],
  ),
]
