import type { SessionTemplate } from '@panoptes/schema'
import { asText } from './as-text.ts'

/** What a SessionStart hook of Claude Code answers; null where there is nothing to say. */
export function forClaudeHook(template: SessionTemplate): object | null {
  const text = asText(template)
  if (text === undefined) return null
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } }
}
