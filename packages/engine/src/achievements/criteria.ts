import type { Achievement } from './achievement.ts'
import type { MetricName } from './metrics.ts'

export const SECRET_DESCRIPTION = 'Hidden until you come across it.'
export const SECRET_CRITERIA = 'It shows itself with the first step towards it.'

const NUMBER = new Intl.NumberFormat('en-US')

/** What each metric counts, in the words of a sentence without its number. */
const LABELS: Readonly<Partial<Record<MetricName, string>>> = {
  max_tool_calls_in_session: 'tool calls in one session',
  max_distinct_tools_in_session: 'different tools in one session',
  max_messages_in_session: 'messages in one session',
  max_terminal_calls_in_session: 'terminal calls in one session',
  max_file_tool_calls_in_session: 'file calls in one session',
  max_web_browser_calls_in_session: 'web and browser calls in one session',
  max_files_touched_in_session: 'files named in one session',
  total_tool_calls: 'tool calls',
  total_delegate_calls: 'tasks handed to sub-agents',
  total_process_calls: 'background processes',
  total_cron_calls: 'scheduled jobs',
  total_errors: 'messages with an error',
  total_terminal_calls: 'terminal calls',
  total_web_calls: 'web searches and fetched pages',
  total_web_extract_calls: 'fetched pages',
  total_patch_calls: 'patches',
  total_file_reads_searches: 'files read or searched',
  traceback_events: 'stack traces and exceptions',
  log_read_events: 'mentions of logs',
  port_conflict_events: 'sessions with a taken port',
  permission_denied_events: 'refused permissions',
  install_error_events: 'sessions with a failed install',
  install_success_events: 'sessions with an install that went through',
  restart_after_error_events: 'sessions with errors and a restart',
  env_var_error_events: 'missing keys and variables',
  yaml_error_events: 'mentions of YAML beside an error',
  docker_conflict_events: 'taken container names',
  frontend_activity_events: 'mentions of front-end work',
  css_activity_events: 'mentions of styles',
  git_events: 'git commands',
  git_history_events: 'git commands that change history, and conflicts',
  tiny_patch_after_errors_events: 'tiny fixes after many errors',
  skill_events: 'skills used and mentioned',
  skill_manage_events: 'skills made and changed',
  memory_events: 'memory calls',
  memory_write_events: 'memory writes',
  context_events: 'mentions of context, tokens and caches',
  gateway_events: 'mentions of gateways',
  plugin_events: 'mentions of plugins',
  rollback_events: 'mentions of rollbacks and checkpoints',
  docs_activity_events: 'mentions of documentation',
  browser_calls: 'browser calls',
  image_vision_calls: 'image and vision calls',
  tts_calls: 'texts spoken aloud',
  model_events: 'mentions of models and providers',
  openrouter_events: 'mentions of OpenRouter',
  codex_events: 'mentions of Codex',
  claude_events: 'mentions of Claude',
  gemini_events: 'mentions of Gemini',
  distinct_model_count: 'different models',
  distinct_provider_count: 'different providers',
  local_model_chat_sessions: 'sessions with a local model',
  toolset_events: 'mentions of toolsets',
  config_events: 'mentions of configuration files',
  test_events: 'mentions of tests',
  screenshot_events: 'mentions of screenshots',
  cache_events: 'mentions of cache hits',
  session_count: 'sessions',
  weekend_sessions: 'sessions begun at the weekend',
  night_sessions: 'sessions begun at night',
}

const labelOf = (metric: MetricName): string => LABELS[metric] ?? metric.replaceAll('_', ' ')

/** What one of several conditions counts, beside its figures. */
const SHORT: Readonly<Partial<Record<MetricName, string>>> = {
  max_terminal_calls_in_session: 'terminal',
  max_file_tool_calls_in_session: 'files',
  max_web_browser_calls_in_session: 'web',
  max_tool_calls_in_session: 'calls',
  install_error_events: 'failed installs',
  install_success_events: 'installs',
  restart_after_error_events: 'restarts',
  tiny_patch_after_errors_events: 'tiny fixes',
  total_errors: 'errors',
  git_events: 'git',
}

export const shortLabel = (metric: MetricName): string => SHORT[metric] ?? labelOf(metric)

/** What has to happen for it, in one line. */
export function criteria(achievement: Achievement): string {
  if (achievement.kind === 'multi_condition')
    return achievement.requirements
      .map(({ metric, gte }) => `${NUMBER.format(gte)} ${labelOf(metric)}`)
      .join(' and ')
  const ladder = achievement.tiers
    .map(({ name, threshold }) => `${name} ${NUMBER.format(threshold)}`)
    .join(', ')
  return `${capital(labelOf(achievement.threshold_metric))}: ${ladder}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
