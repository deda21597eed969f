import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { AcpConfig } from '@panoptes/schema'
import type { AcpOptions } from './adapter.ts'
import { findProgram } from './agent-process.ts'

type Variables = Readonly<Record<string, string | undefined>>

interface AgentDefinition {
  /** The name, as in `acp:<name>`. */
  readonly name: string
  readonly title: string
  readonly command: readonly string[]
  /** The agent itself, if another program speaks ACP for it. */
  readonly of?: string
  readonly install: string
  readonly signIn: string
}

const AGENT_DEFINITIONS: readonly AgentDefinition[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    command: ['claude-agent-acp'],
    of: 'claude',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    signIn: 'claude /login',
  },
  {
    name: 'codex',
    title: 'Codex',
    command: ['codex-acp'],
    of: 'codex',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    signIn: 'codex login',
  },
  {
    name: 'gemini',
    title: 'Gemini',
    command: ['gemini', '--acp'],
    install: 'npm install -g @google/gemini-cli',
    signIn: 'gemini',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    command: ['opencode', 'acp'],
    install: 'npm install -g opencode-ai',
    signIn: 'opencode auth login',
  },
]

export interface AcpHome {
  /** The `runtimes.acp` section of the config. */
  readonly configured: Readonly<Record<string, AcpConfig>>
  /** The variables all agents get, besides their own. */
  readonly env: Variables
  /** False if only configured agents may answer. */
  readonly find?: boolean | undefined
}

/**
 * Returns the configured agents. If there are none, returns the agents on this computer that are
 * known to speak ACP.
 */
export function acpAgents({ configured, env, find = true }: AcpHome): readonly AcpOptions[] {
  const named = Object.entries(configured)
  if (named.length === 0 && find)
    return AGENT_DEFINITIONS.filter((agent) => isHere(agent, env)).map((agent) => toOptions(agent, env))
  return named.map(([name, { command, env: own, cwd }]) => {
    const definition = AGENT_DEFINITIONS.find((one) => one.name === name) ?? { name, title: name }
    const folder = cwd === undefined ? undefined : expandHome(cwd, env)
    return { ...toOptions({ ...definition, command }, { ...env, ...own }), cwd: folder }
  })
}

/** Expands `~/work` to a folder below the home directory. */
const expandHome = (folder: string, env: Variables): string =>
  resolve(env.HOME || homedir(), folder.replace(/^~(?:[/\\]|$)/, ''))

const isHere = ({ command: [program = ''], of }: AgentDefinition, env: Variables): boolean =>
  findProgram(program, env) !== null || (of !== undefined && findProgram(of, env) !== null)

const toOptions = (
  {
    name,
    title,
    command,
    install,
    signIn,
  }: Pick<AgentDefinition, 'name' | 'title' | 'command'> & Partial<AgentDefinition>,
  env: Variables,
): AcpOptions => ({ id: `acp:${name}`, title, command, env, advice: { install, signIn } })
