import { type Achievement, tiered, together } from '../achievement.ts'

export const VIBE_CODING: readonly Achievement[] = [
  tiered(
    {
      id: 'supposed_to_be_quick',
      name: 'This Was Supposed To Be Quick',
      category: 'Vibe Coding',
      icon: 'melting_clock',
      description: 'Messages in one session.',
    },
    'max_messages_in_session',
    [300, 600, 1200, 2500, 6000],
  ),
  tiered(
    {
      id: 'one_more_small_change',
      name: 'One More Small Change',
      category: 'Vibe Coding',
      icon: 'pencil',
      description: 'Files read, searched and changed in one session.',
    },
    'max_file_tool_calls_in_session',
    [150, 400, 1000, 3000, 8000],
  ),
  tiered(
    {
      id: 'vibe_architect',
      name: 'Vibe Architect',
      category: 'Vibe Coding',
      icon: 'blueprint',
      description: 'Different files named in one session.',
    },
    'max_files_touched_in_session',
    [300, 700, 1500, 4000, 10000],
  ),
  tiered(
    {
      id: 'pixel_goblin',
      name: 'Pixel Goblin',
      category: 'Vibe Coding',
      icon: 'pixel',
      description: 'Mentions of front-end work.',
    },
    'frontend_activity_events',
    [20000, 50000, 120000, 300000, 800000],
  ),
  together(
    {
      id: 'ship_first_ask_later',
      name: 'Ship First, Ask Later',
      category: 'Vibe Coding',
      icon: 'ship',
      description: 'Commits and pushes, and a long chain of tools.',
    },
    { git_events: 50, max_tool_calls_in_session: 500 },
  ),
  tiered(
    {
      id: 'css_exorcist',
      name: 'CSS Exorcist',
      category: 'Vibe Coding',
      icon: 'spark_cursor',
      description: 'Mentions of styles.',
    },
    'css_activity_events',
    [10000, 30000, 80000, 200000, 500000],
  ),
  together(
    {
      id: 'one_character_fix',
      name: 'One Character Fix',
      category: 'Vibe Coding',
      icon: 'needle',
      description: 'A very small change after many errors.',
      secret: true,
    },
    { tiny_patch_after_errors_events: 5, total_errors: 4000 },
  ),
]
