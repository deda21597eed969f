import { programIn } from './program.ts'

export interface FoundAgent {
  /** As in `acp:<name>`. */
  readonly name: string
  readonly title: string
  readonly command: readonly string[]
}

const KNOWN: readonly FoundAgent[] = [
  { name: 'claude', title: 'Claude Code', command: ['claude-agent-acp'] },
  { name: 'codex', title: 'Codex', command: ['codex-acp'] },
  { name: 'gemini', title: 'Gemini', command: ['gemini', '--experimental-acp'] },
  { name: 'opencode', title: 'OpenCode', command: ['opencode', 'acp'] },
]

/** Agents of this computer that speak ACP by themselves, to be offered where none is configured. */
export const foundAcpAgents = (env: Readonly<Record<string, string | undefined>>): readonly FoundAgent[] =>
  KNOWN.filter(({ command: [program = ''] }) => programIn(program, env) !== null)

/** What an agent of a configured name is called. */
export const titleOfAgent = (name: string): string =>
  KNOWN.find((known) => known.name === name)?.title ?? name
