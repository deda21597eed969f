import { type Achievement, tiered } from '../achievement.ts'

export const RESEARCH: readonly Achievement[] = [
  tiered(
    {
      id: 'rabbit_hole_certified',
      name: 'Rabbit Hole Certified',
      category: 'Research/Web',
      icon: 'spiral',
      description: 'Web searches and fetched pages.',
    },
    'total_web_calls',
    [400, 1200, 3000, 8000, 20000],
  ),
  tiered(
    {
      id: 'citation_goblin',
      name: 'Citation Goblin',
      category: 'Research/Web',
      icon: 'quote',
      description: 'Pages read in full.',
    },
    'total_web_extract_calls',
    [100, 300, 1000, 3000, 8000],
  ),
  tiered(
    {
      id: 'docs_archaeologist',
      name: 'Docs Archaeologist',
      category: 'Research/Web',
      icon: 'compass',
      description: 'Documentation read and searched.',
    },
    'docs_activity_events',
    [5000, 15000, 40000, 100000, 250000],
  ),
  tiered(
    {
      id: 'browser_possession',
      name: 'Browser Possession',
      category: 'Research/Web',
      icon: 'browser',
      description: 'Steps in a browser.',
    },
    'browser_calls',
    [75, 200, 600, 1500, 4000],
  ),
]
