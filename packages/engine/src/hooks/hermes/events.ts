/** The events of Hermes that tell who works, waits, fails and ends. */
export const HERMES_EVENTS: readonly string[] = [
  'on_session_start',
  'on_session_end',
  'on_session_finalize',
  'pre_llm_call',
  'pre_tool_call',
  'post_tool_call',
  'subagent_start',
  'subagent_stop',
  'pre_approval_request',
  'post_approval_response',
  'on_skill_lifecycle',
]
