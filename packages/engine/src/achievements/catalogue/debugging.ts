import { type Achievement, tiered, together } from '../achievement.ts'

export const DEBUGGING: readonly Achievement[] = [
  tiered(
    {
      id: 'red_text_connoisseur',
      name: 'Red Text Connoisseur',
      category: 'Debugging Chaos',
      icon: 'warning',
      description: 'Messages with an error.',
    },
    'total_errors',
    [1500, 4000, 10000, 25000, 75000],
  ),
  tiered(
    {
      id: 'stack_trace_sommelier',
      name: 'Stack Trace Sommelier',
      category: 'Debugging Chaos',
      icon: 'wine',
      description: 'Stack traces and exceptions read.',
    },
    'traceback_events',
    [300, 1000, 3000, 8000, 20000],
  ),
  tiered(
    {
      id: 'actually_read_the_logs',
      name: 'Actually Read The Logs',
      category: 'Debugging Chaos',
      icon: 'scroll',
      description: 'Logs opened before guessing.',
    },
    'log_read_events',
    [1000, 3000, 8000, 20000, 50000],
  ),
  tiered(
    {
      id: 'port_3000_taken',
      name: 'Port 3000 Is Taken',
      category: 'Debugging Chaos',
      icon: 'plug',
      description: 'Sessions with a port conflict.',
      secret: true,
    },
    'port_conflict_events',
    [15, 40, 100, 300, 1000],
  ),
  tiered(
    {
      id: 'permission_denied_any_percent',
      name: 'Permission Denied Any%',
      category: 'Debugging Chaos',
      icon: 'lock',
      description: 'Denied permissions.',
      secret: true,
    },
    'permission_denied_events',
    [25, 75, 200, 600, 1500],
  ),
  together(
    {
      id: 'dependency_hell_tourist',
      name: 'Dependency Hell Tourist',
      category: 'Debugging Chaos',
      icon: 'package_skull',
      description: 'Sessions with a failed install, and sessions with a successful one.',
    },
    { install_error_events: 25, install_success_events: 10 },
  ),
  together(
    {
      id: 'the_fix_was_restarting',
      name: 'The Fix Was Restarting It',
      category: 'Debugging Chaos',
      icon: 'restart',
      description: 'Sessions with errors and a restart.',
    },
    { restart_after_error_events: 50, total_errors: 4000 },
  ),
  tiered(
    {
      id: 'forgot_the_env_var',
      name: 'Forgot The Env Var',
      category: 'Debugging Chaos',
      icon: 'key',
      description: 'Missing keys and variables.',
      secret: true,
    },
    'env_var_error_events',
    [5000, 15000, 40000, 100000, 250000],
  ),
  tiered(
    {
      id: 'yaml_colon_incident',
      name: 'YAML Colon Incident',
      category: 'Debugging Chaos',
      icon: 'colon',
      description: 'YAML that does not parse.',
      secret: true,
    },
    'yaml_error_events',
    [1000, 3000, 8000, 20000, 50000],
  ),
  tiered(
    {
      id: 'docker_name_collision',
      name: 'Docker Name Collision',
      category: 'Debugging Chaos',
      icon: 'container',
      description: 'Container names already in use.',
      secret: true,
    },
    'docker_conflict_events',
    [75, 200, 600, 1500, 4000],
  ),
]
