import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { AcpConfig } from '@panoptes/schema'
import type { AcpOptions } from './adapter.ts'
import { programIn } from './program.ts'

type Variables = Readonly<Record<string, string | undefined>>

interface Known {
  /** As in `acp:<name>`. */
  readonly name: string
  readonly title: string
  readonly command: readonly string[]
  /** The agent itself, where another program speaks for it. */
  readonly of?: string
  readonly install: string
  readonly signIn: string
}

const KNOWN: readonly Known[] = [
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
  /** `runtimes.acp` of the config. */
  readonly configured: Readonly<Record<string, AcpConfig>>
  /** All that agents are given of variables, beside their own. */
  readonly env: Variables
  /** False where none answers that the config does not name. */
  readonly find?: boolean | undefined
}

/** The agents that are configured; where none is, those of this computer that are known to speak ACP. */
export function acpAgents({ configured, env, find = true }: AcpHome): readonly AcpOptions[] {
  const named = Object.entries(configured)
  if (named.length === 0 && find)
    return KNOWN.filter((known) => isHere(known, env)).map((known) => optionsOf(known, env))
  return named.map(([name, { command, env: own, cwd }]) => {
    const known = KNOWN.find((one) => one.name === name) ?? { name, title: name }
    const folder = cwd === undefined ? undefined : inHome(cwd, env)
    return { ...optionsOf({ ...known, command }, { ...env, ...own }), cwd: folder }
  })
}

/** `~/work`, or a folder of the home. */
const inHome = (folder: string, env: Variables): string =>
  resolve(env.HOME || homedir(), folder.replace(/^~(?:[/\\]|$)/, ''))

const isHere = ({ command: [program = ''], of }: Known, env: Variables): boolean =>
  programIn(program, env) !== null || (of !== undefined && programIn(of, env) !== null)

const optionsOf = (
  { name, title, command, install, signIn }: Pick<Known, 'name' | 'title' | 'command'> & Partial<Known>,
  env: Variables,
): AcpOptions => ({ id: `acp:${name}`, title, command, env, advice: { install, signIn } })
