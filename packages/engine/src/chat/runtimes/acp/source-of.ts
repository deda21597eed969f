import { fieldsOf, textOf } from '../fields.ts'
import type { AgentCommand } from './agent-process.ts'

const SOURCES: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'claude-code'],
  [/codex/i, 'codex'],
  [/opencode/i, 'opencode'],
  [/hermes/i, 'hermes'],
]

/** Where else an agent's sessions are read from: what it does is counted there. By its own word, else by its command. */
export function sourceOf(info: unknown, { command }: Pick<AgentCommand, 'command'>): string | null {
  const { name, title } = fieldsOf(info)
  const said = `${textOf(name)} ${textOf(title)}`.trim()
  const about = said === '' ? command.join(' ') : said
  return SOURCES.find(([words]) => words.test(about))?.[1] ?? null
}
