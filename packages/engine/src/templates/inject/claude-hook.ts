import type { SessionTemplate } from '@panoptes/schema'
import { asText } from './as-text.ts'

/** The answer of a Claude Code SessionStart hook; null if there is nothing to add. */
export function forClaudeHook(template: SessionTemplate): object | null {
  const text = asText(template)
  if (text === undefined) return null
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } }
}
