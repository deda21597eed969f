import { type Achievement, tiered } from '../achievement.ts'

export const MODEL_LORE: readonly Achievement[] = [
  tiered(
    {
      id: 'model_hopper',
      name: 'Model Hopper',
      category: 'Model Lore',
      icon: 'swap',
      description: 'Mentions of models and providers.',
    },
    'model_events',
    [10000, 30000, 80000, 200000, 500000],
  ),
  tiered(
    {
      id: 'openrouter_enjoyer',
      name: 'OpenRouter Enjoyer',
      category: 'Model Lore',
      icon: 'router',
      description: 'Mentions of OpenRouter.',
    },
    'openrouter_events',
    [250, 750, 2000, 6000, 15000],
  ),
  tiered(
    {
      id: 'codex_conjurer',
      name: 'Codex Conjurer',
      category: 'Model Lore',
      icon: 'codex',
      description: 'Mentions of Codex.',
    },
    'codex_events',
    [500, 1500, 4000, 10000, 25000],
  ),
  tiered(
    {
      id: 'multi_model_mage',
      name: 'Multi-Model Mage',
      category: 'Model Lore',
      icon: 'prism',
      description: 'Many different models.',
    },
    'distinct_model_count',
    [10, 20, 40, 80, 160],
  ),
  tiered(
    {
      id: 'five_model_flight',
      name: 'Five-Model Flight',
      category: 'Model Lore',
      icon: 'prism',
      description: 'Different models.',
    },
    'distinct_model_count',
    [5, 10, 20, 40, 80],
  ),
  tiered(
    {
      id: 'provider_polyglot',
      name: 'Provider Polyglot',
      category: 'Model Lore',
      icon: 'swap',
      description: 'Different providers.',
    },
    'distinct_provider_count',
    [2, 3, 5, 8, 12],
  ),
  tiered(
    {
      id: 'model_sommelier',
      name: 'Model Sommelier',
      category: 'Model Lore',
      icon: 'wine',
      description: 'Mentions of models and providers.',
    },
    'model_events',
    [250, 750, 2000, 6000, 15000],
  ),
  tiered(
    {
      id: 'claude_confidant',
      name: 'Claude Confidant',
      category: 'Model Lore',
      icon: 'quote',
      description: 'Mentions of Claude.',
    },
    'claude_events',
    [50, 150, 500, 1500, 4000],
  ),
  tiered(
    {
      id: 'gemini_cartographer',
      name: 'Gemini Cartographer',
      category: 'Model Lore',
      icon: 'compass',
      description: 'Mentions of Gemini.',
    },
    'gemini_events',
    [50, 150, 500, 1500, 4000],
  ),
  tiered(
    {
      id: 'open_weights_pilgrim',
      name: 'Open Weights Pilgrim',
      category: 'Model Lore',
      icon: 'terminal',
      description: 'Sessions with a local model.',
    },
    'local_model_chat_sessions',
    [1, 3, 10, 30, 100],
  ),
]
