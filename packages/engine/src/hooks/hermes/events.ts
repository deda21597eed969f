import { hermesSendsWebhooks } from '@panoptes/engine/sources'

/** The Hermes events that show which agent works, waits, fails and ends. */
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

/** Hermes supports these since it sends webhooks. Earlier versions log a warning for each. */
const LATER: ReadonlySet<string> = new Set(['on_skill_lifecycle'])

/** Returns the events that a version supports, or all of them when the version is unknown. */
export const supportedHermesEvents = (version: string | null): readonly string[] =>
  version === null || hermesSendsWebhooks(version)
    ? HERMES_EVENTS
    : HERMES_EVENTS.filter((event) => !LATER.has(event))
