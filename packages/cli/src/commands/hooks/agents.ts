import type { Editor } from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { anyClaudeCode, wantedForClaudeCode } from './claude-code.ts'
import { usage } from './events.ts'
import { anyHermes, wantedForHermes } from './hermes.ts'
import type { HookOptions, Wanted } from './options.ts'

/** How one agent is connected, and how its hooks are taken out again. */
interface Connection {
  readonly wanted: (context: Context, options: HookOptions) => Promise<Wanted>
  readonly any: (context: Context, options: HookOptions) => Promise<Editor>
  /** Options that mean nothing for it. */
  readonly refused: readonly (keyof HookOptions)[]
}

const CONNECTIONS: Readonly<Record<string, Connection>> = {
  'claude-code': {
    wanted: wantedForClaudeCode,
    any: async (context, options) => anyClaudeCode(context, options),
    refused: ['shell', 'secretEnv'],
  },
  hermes: { wanted: wantedForHermes, any: anyHermes, refused: ['http'] },
}

const FLAGS: Readonly<Partial<Record<keyof HookOptions, string>>> = {
  shell: '--shell',
  secretEnv: '--secret-env',
  http: '--http',
}

export function connectionOf(agent: string, options: HookOptions): Connection {
  const found = CONNECTIONS[agent]
  const known = Object.keys(CONNECTIONS).join(', ')
  if (found === undefined)
    throw usage(`${agent} is not an agent that Panoptes can connect`, `There are: ${known}`)
  const wrong = found.refused.find((option) => options[option] === true)
  if (wrong)
    throw usage(
      `${FLAGS[wrong]} means nothing for ${agent}`,
      `Leave it out, or choose another agent: ${known}`,
    )
  if (agent === 'hermes' && options.scope === 'project') {
    throw usage('Hermes has no settings of a project', 'Leave --scope out.')
  }
  return found
}
