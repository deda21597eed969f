import { discover } from '@panoptes/engine/discover'
import {
  claudeHooks,
  claudeSettingsFile,
  type HookState,
  hermesConfigFile,
  hermesHooks,
  type ScriptState,
  scriptState,
} from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { silentOf } from '../../daemon/hooks.ts'
import { tilde } from '../../terminal/words.ts'
import { shippedScript } from './place.ts'

export async function hooksStatus({ paths, env, output }: Context): Promise<void> {
  const claude = (scope: 'user' | 'project') =>
    claudeHooks(paths, claudeSettingsFile(scope, env, process.cwd()), scope)
  const [hooks, script, found] = await Promise.all([
    Promise.all([claude('user'), claude('project'), hermesHooks(paths, hermesConfigFile(env))]),
    scriptState(paths, shippedScript()),
    discover({ env }),
  ])
  const installed = (agent: string) => hooks.some((one) => one.agent === agent && one.state === 'installed')
  const unconnected = [...new Set(hooks.map(({ agent }) => agent))].filter((agent) => !installed(agent))
  const silent = silentOf(found, unconnected)
  const lines = [...hooks.flatMap(describe), ...scriptLines(script, hooks), ...nextLines(silent)]
  output.answer(lines, { ok: true, script, not_connected: silent, hooks })
}

const whoIs = ({ agent, scope }: HookState): string =>
  agent === 'hermes' ? 'Hermes Agent' : scope === 'user' ? 'Claude Code' : 'Claude Code, this project'

function describe(hooks: HookState): readonly string[] {
  const { file, state, form, events, missing, script, problem } = hooks
  const who = whoIs(hooks)
  if (state === 'unreadable') return [`✕ ${who}: ${problem}`]
  if (state === 'absent') return [`– ${who}: no hooks in ${tilde(file)}`]
  const what = form === 'webhook' ? 'signed webhooks' : `${events.length} hooks (${form})`
  const lines = [`✓ ${who}: ${what} in ${tilde(file)}`]
  if (missing.length > 0) lines.push(`  without: ${missing.join(', ')}`)
  if (script === 'other') lines.push('  They leave what they see for the Panoptes of another home.')
  if (problem) lines.push(`  ${problem}`)
  return lines
}

function scriptLines(script: ScriptState, hooks: readonly HookState[]): readonly string[] {
  if (script === 'current' || script === 'newer' || !hooks.some((one) => one.script === 'own')) return []
  const what =
    script === 'absent'
      ? 'The script that hooks run is missing'
      : 'The script that hooks run is older than this program'
  return [`! ${what}. Put this version's in its place with: panoptes up`]
}

const nextLines = (silent: readonly string[]): readonly string[] =>
  silent.map((agent) => `Connect it with: panoptes hooks install ${agent}`)
