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
import { installedHermesVersion } from '@panoptes/engine/sources'
import { hookConnectionWords } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { findHeard } from '../../daemon/heard.ts'
import { silentOf } from '../../daemon/hooks.ts'
import { plural, shortenPath } from '../../terminal/format.ts'
import { shippedScript } from './script-path.ts'

export async function hooksStatus(context: Context): Promise<void> {
  const { paths, env, output } = context
  const [heard, version] = await Promise.all([findHeard(context), installedHermesVersion(env)])
  const readClaudeHooks = (scope: 'user' | 'project') =>
    claudeHooks(paths, claudeSettingsFile(scope, env, process.cwd()), scope, heard)
  const [hooks, script, found] = await Promise.all([
    Promise.all([
      readClaudeHooks('user'),
      readClaudeHooks('project'),
      hermesHooks(paths, hermesConfigFile(env), { heard, version }),
    ]),
    scriptState(paths, shippedScript()),
    discover({ env }),
  ])
  const isInstalled = (agent: string) => hooks.some((one) => one.agent === agent && one.state === 'installed')
  const unconnected = [...new Set(hooks.map(({ agent }) => agent))].filter((agent) => !isInstalled(agent))
  const silent = silentOf(found, unconnected)
  const lines = [...hooks.flatMap(describe), ...scriptLines(script, hooks), ...nextLines(silent)]
  output.answer(lines, { ok: true, script, not_connected: silent, hooks })
}

const agentTitle = ({ agent, scope }: HookState): string =>
  agent === 'hermes' ? 'Hermes Agent' : scope === 'user' ? 'Claude Code' : 'Claude Code, this project'

function describe(hooks: HookState): readonly string[] {
  const { file, state, form, events, missing, script, problem, connection } = hooks
  const who = agentTitle(hooks)
  if (state === 'unreadable') return [`✕ ${who}: ${problem}`]
  if (state === 'absent') return [`– ${who}: ${hookConnectionWords.none} in ${shortenPath(file)}`]
  const what = form === 'webhook' ? 'signed webhooks' : `${plural(events.length, 'hook')} (${form})`
  const mark = problem ? '✕' : connection === 'connected' ? '✓' : '○'
  const lines = [`${mark} ${who}: ${hookConnectionWords[connection]} · ${what} in ${shortenPath(file)}`]
  if (missing.length > 0) lines.push(`  without: ${missing.join(', ')}`)
  if (script === 'other') lines.push('  They write to the spool of another Panoptes home.')
  if (problem) lines.push(`  ${problem}`)
  return lines
}

function scriptLines(script: ScriptState, hooks: readonly HookState[]): readonly string[] {
  if (script === 'current' || script === 'newer' || !hooks.some((one) => one.script === 'own')) return []
  const what = script === 'absent' ? 'The hook script is missing' : 'The hook script is outdated'
  return [`! ${what}. Update it with: panoptes up`]
}

const nextLines = (silent: readonly string[]): readonly string[] =>
  silent.map((agent) => `Connect it with: panoptes hooks install ${agent}`)
