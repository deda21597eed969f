import { type Achievement, tiered, together } from '../achievement.ts'

export const AUTONOMY: readonly Achievement[] = [
  tiered(
    {
      id: 'let_him_cook',
      name: 'Let Him Cook',
      category: 'Agent Autonomy',
      icon: 'flame',
      description: 'Many tool calls in one session.',
    },
    'max_tool_calls_in_session',
    [200, 500, 1200, 3000, 8000],
  ),
  tiered(
    {
      id: 'autonomous_avalanche',
      name: 'Autonomous Avalanche',
      category: 'Agent Autonomy',
      icon: 'avalanche',
      description: 'Tool calls in all sessions.',
    },
    'total_tool_calls',
    [1000, 3000, 8000, 20000, 50000],
  ),
  tiered(
    {
      id: 'toolchain_maxxer',
      name: 'Toolchain Maxxer',
      category: 'Agent Autonomy',
      icon: 'nodes',
      description: 'Different tools used within one session.',
    },
    'max_distinct_tools_in_session',
    [18, 28, 45, 70, 100],
  ),
  together(
    {
      id: 'full_send',
      name: 'Full Send',
      category: 'Agent Autonomy',
      icon: 'rocket',
      description: 'Heavy use of the terminal, of files and of the web, each in one session.',
    },
    {
      max_terminal_calls_in_session: 180,
      max_file_tool_calls_in_session: 120,
      max_web_browser_calls_in_session: 60,
    },
  ),
  tiered(
    {
      id: 'subagent_commander',
      name: 'Subagent Commander',
      category: 'Agent Autonomy',
      icon: 'branch',
      description: 'Tasks delegated to sub-agents.',
    },
    'total_delegate_calls',
    [5, 40, 100, 1000, 5000],
  ),
  tiered(
    {
      id: 'background_process_enjoyer',
      name: 'Background Process Enjoyer',
      category: 'Agent Autonomy',
      icon: 'daemon',
      description: 'Processes started and managed in the background.',
    },
    'total_process_calls',
    [300, 800, 2000, 6000, 15000],
  ),
  tiered(
    {
      id: 'cron_necromancer',
      name: 'Cron Necromancer',
      category: 'Agent Autonomy',
      icon: 'clock',
      description: 'Scheduled jobs created, listed and deleted.',
    },
    'total_cron_calls',
    [1000, 3000, 8000, 20000, 50000],
  ),
]
