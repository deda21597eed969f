import { homedir } from 'node:os'
import { join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** The folders in which each agent keeps its sessions, resolved the way the agent resolves them. */
export interface Places {
  readonly hermes: string
  readonly claudeCode: string
  readonly codex: string
  readonly opencode: string
}

export function agentPlaces(env: Environment): Places {
  const home = env.HOME || homedir()
  return {
    hermes: env.HERMES_HOME || join(home, '.hermes'),
    claudeCode: env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
    codex: env.CODEX_HOME || join(home, '.codex'),
    opencode: join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode'),
  }
}
