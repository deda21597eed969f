import { toFields, toText } from '../fields.ts'
import type { AgentCommand } from './agent-process.ts'

const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'claude-code'],
  [/codex/i, 'codex'],
  [/opencode/i, 'opencode'],
  [/hermes/i, 'hermes'],
]

/**
 * Detects the source that also reads this agent's sessions, so that its usage is counted there.
 * Uses the agent's own name, otherwise its command.
 */
export function detectSource(info: unknown, { command }: Pick<AgentCommand, 'command'>): string | null {
  const { name, title } = toFields(info)
  const reportedName = `${toText(name)} ${toText(title)}`.trim()
  const about = reportedName === '' ? command.join(' ') : reportedName
  return SOURCES.find(([words]) => words.test(about))?.[1] ?? null
}
