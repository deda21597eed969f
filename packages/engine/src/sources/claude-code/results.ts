import type { Fields } from '../fields.ts'

/**
 * The message to the client when a person denies a call on the page. The client stores it as the call's
 * result.
 */
export const DENIED_ON_PAGE = 'Denied by the user in Panoptes.'

/**
 * Rows begin with this when a person interrupts a turn or ends an agent, or when the session ended while an
 * agent worked.
 */
export const INTERRUPTED = '[Request interrupted'

const DENIALS = [
  /^(?:[^\n]{0,80}: )?Denied by the user in Panoptes\./,
  /^The user doesn't want to/,
  /^Claude requested permissions? to /,
  /^Permission (?:to use|for this) \S+ .*denied/s,
  /^PreToolUse:\S+ hook error: /,
  /^[^\n]{0,2000} (?:was blocked\. For security|needs approval|requires approval)\b/,
  /^Tool use (?:was )?rejected/i,
  /^\[Request interrupted\b/,
  // For instance "[Tool call interrupted: the session ended before this call's result was recorded, …]".
  /^\[Tool call (?:interrupted|skipped|did not complete|not completed|not run)\b/,
  /^<tool_use_error>(?:Cancelled: |Error: Streaming fallback - tool execution discarded)/,
]

/**
 * True when a result shows that the call was denied by a person, a rule or a hook, or was interrupted. Such a
 * call is neither a success nor a failure. Newer clients name the kind of denial in the row. The text alone
 * is not enough, because the reason may be any words.
 */
export const isDenied = (row: Fields, text: string): boolean =>
  typeof row.toolDenialKind === 'string' || DENIALS.some((denial) => denial.test(text.slice(0, 4_000)))
