/** The events of Hermes that tell who works, waits, fails and ends. */
export const HERMES_EVENTS: readonly string[] = [
  'on_session_start',
  'on_session_end',
  'on_session_finalize',
  'on_session_reset',
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'post_api_request',
  'subagent_start',
  'subagent_stop',
  'pre_approval_request',
  'post_approval_response',
  'on_skill_lifecycle',
]
