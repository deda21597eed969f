/** Session values that are summed under their own name. */
const ADDED = [
  'browser_calls',
  'cache_events',
  'claude_events',
  'codex_events',
  'config_events',
  'context_events',
  'css_activity_events',
  'docker_conflict_events',
  'docs_activity_events',
  'env_var_error_events',
  'frontend_activity_events',
  'gateway_events',
  'gemini_events',
  'git_events',
  'git_history_events',
  'image_vision_calls',
  'install_error_events',
  'install_success_events',
  'local_model_events',
  'log_read_events',
  'memory_events',
  'memory_write_events',
  'model_events',
  'openrouter_events',
  'permission_denied_events',
  'plugin_events',
  'port_conflict_events',
  'release_events',
  'restart_after_error_events',
  'rollback_events',
  'screenshot_events',
  'skill_events',
  'skill_manage_events',
  'test_events',
  'tiny_patch_after_errors_events',
  'toolset_events',
  'traceback_events',
  'tts_calls',
  'yaml_error_events',
] as const

/** Sums with a name of their own, and the session value they sum. */
const TOTALS = {
  total_errors: 'error_count',
  total_tool_calls: 'tool_call_count',
  total_terminal_calls: 'terminal_calls',
  total_web_calls: 'web_calls',
  total_web_extract_calls: 'web_extract_calls',
  total_patch_calls: 'patch_calls',
  total_file_reads_searches: 'file_reads_searches',
  total_delegate_calls: 'delegate_calls',
  total_process_calls: 'process_calls',
  total_cron_calls: 'cron_calls',
} as const

/** Maps each best of one session to the session value that it is the maximum of. */
export const BESTS = {
  max_tool_calls_in_session: 'tool_call_count',
  max_distinct_tools_in_session: 'distinct_tool_count',
  max_messages_in_session: 'message_count',
  max_terminal_calls_in_session: 'terminal_calls',
  max_file_tool_calls_in_session: 'file_tool_calls',
  max_web_calls_in_session: 'web_calls',
  max_web_browser_calls_in_session: 'web_browser_calls',
  max_files_touched_in_session: 'files_touched_count',
} as const

export type BestName = keyof typeof BESTS
export type SessionValue =
  | (typeof ADDED)[number]
  | (typeof TOTALS)[keyof typeof TOTALS]
  | (typeof BESTS)[BestName]

/** The values that one session contributes. */
export type SessionValues = Readonly<Record<SessionValue, number>>

export const SUMS: Readonly<Record<string, SessionValue>> = {
  ...Object.fromEntries(ADDED.map((name) => [name, name])),
  ...TOTALS,
}

export type MetricName =
  | (typeof ADDED)[number]
  | keyof typeof TOTALS
  | BestName
  | 'session_count'
  | 'distinct_model_count'
  | 'distinct_provider_count'
  | 'local_model_chat_sessions'
  | 'weekend_sessions'
  | 'night_sessions'

export const SESSION_VALUES: readonly SessionValue[] = [
  ...new Set<SessionValue>([...Object.values(SUMS), ...Object.values(BESTS)]),
].sort()

/**
 * Created by the JSON parser, because copies of such an object stay small and fast, however many
 * names it has.
 */
export const zeros = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> =>
  JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, 0]))))

const NO_VALUES = zeros(SESSION_VALUES)

/** The values of a session without messages, to be filled in. */
export const noValues = (): Record<SessionValue, number> => ({ ...NO_VALUES })

export type Aggregate = Readonly<Record<MetricName, number>>
