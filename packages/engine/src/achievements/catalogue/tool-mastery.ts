import { type Achievement, tiered } from '../achievement.ts'

export const TOOL_MASTERY: readonly Achievement[] = [
  tiered(
    {
      id: 'terminal_goblin',
      name: 'Terminal Goblin',
      category: 'Tool Mastery',
      icon: 'terminal',
      description: 'Commands run in a terminal.',
    },
    'total_terminal_calls',
    [750, 2000, 6000, 15000, 50000],
  ),
  tiered(
    {
      id: 'patch_wizard',
      name: 'Patch Wizard',
      category: 'Tool Mastery',
      icon: 'wand',
      description: 'Edits made with patches.',
    },
    'total_patch_calls',
    [250, 750, 2000, 6000, 15000],
  ),
  tiered(
    {
      id: 'file_archaeologist',
      name: 'File Archaeologist',
      category: 'Tool Mastery',
      icon: 'folder',
      description: 'Files read and searched.',
    },
    'total_file_reads_searches',
    [750, 2000, 6000, 15000, 50000],
  ),
  tiered(
    {
      id: 'image_whisperer',
      name: 'Image Whisperer',
      category: 'Tool Mastery',
      icon: 'eye',
      description: 'Images created and viewed.',
    },
    'image_vision_calls',
    [100, 300, 1000, 3000, 8000],
  ),
  tiered(
    {
      id: 'voice_of_the_machine',
      name: 'Voice Of The Machine',
      category: 'Tool Mastery',
      icon: 'wave',
      description: 'Texts spoken aloud.',
    },
    'tts_calls',
    [10, 30, 100, 300, 800],
  ),
]
