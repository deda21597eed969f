import {
  CLAUDE_EVENTS,
  COMMAND_ONLY,
  claudeSettingsFile,
  hermesConfigFile,
  hermesEntries,
  ourEntries,
  readSettings,
  scriptState,
} from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { tilde } from '../../terminal/words.ts'
import { shippedScript } from './place.ts'

interface Found {
  readonly agent: string
  readonly scope: string
  readonly file: string
  readonly state: 'installed' | 'absent' | 'unreadable'
  readonly form: 'command' | 'http' | 'mixed' | 'webhook' | 'shell' | null
  readonly events: readonly string[]
  /** Events that matter and have no hook of ours. */
  readonly missing: readonly string[]
  readonly problem: string | null
}

export async function hooksStatus(context: Context): Promise<void> {
  const found = await Promise.all([
    claudeState(context, 'user'),
    claudeState(context, 'project'),
    hermesState(context),
  ])
  const script = await scriptState(context.paths, shippedScript())
  context.output.answer([...found.flatMap(describe), ...scriptLines(script, found)], {
    ok: true,
    script,
    hooks: found,
  })
}

async function claudeState({ env }: Context, scope: 'user' | 'project'): Promise<Found> {
  const agent = 'claude-code'
  const file = claudeSettingsFile(scope, env, process.cwd())
  const read = await readSettings(file)
  const entries = read.ok ? ourEntries(read.value.text ?? '', read.value.path) : read
  const none = { agent, scope, file, form: null, events: [], missing: CLAUDE_EVENTS }
  if (!entries.ok) return { ...none, state: 'unreadable', problem: entries.message }
  if (entries.value.length === 0) return { ...none, state: 'absent', problem: null }
  const events = entries.value.map(({ event }) => event)
  const types = entries.value
    .filter(({ event }) => !COMMAND_ONLY.has(event) && event !== 'PermissionRequest')
    .map(({ handler }) => (handler as { type: string }).type)
  const form = types.includes('http') ? (types.includes('command') ? 'mixed' : 'http') : 'command'
  const off = read.ok && /"disableAllHooks"\s*:\s*true/.test(read.value.text ?? '')
  return {
    agent,
    scope,
    file,
    state: 'installed',
    form,
    events,
    missing: CLAUDE_EVENTS.filter((event) => !events.includes(event)),
    problem: off ? 'disableAllHooks is true there: Claude Code runs none' : null,
  }
}

async function hermesState({ env }: Context): Promise<Found> {
  const file = hermesConfigFile(env)
  const read = await readSettings(file)
  const lists = read.ok ? hermesEntries(read.value.text ?? '', read.value.path) : read
  const none = { agent: 'hermes', scope: 'user', file, form: null, events: [], missing: [] }
  if (!lists.ok) return { ...none, state: 'unreadable', problem: lists.message }
  if (lists.value.length === 0) return { ...none, state: 'absent', problem: null }
  const form = lists.value.includes('outbound') ? 'webhook' : 'shell'
  const events = lists.value.filter((list) => list !== 'outbound')
  return { ...none, state: 'installed', form, events, problem: null }
}

const whoIs = ({ agent, scope }: Found): string =>
  agent === 'hermes' ? 'Hermes Agent' : scope === 'user' ? 'Claude Code' : 'Claude Code, this project'

function describe(found: Found): readonly string[] {
  const { file, state, form, events, missing, problem } = found
  const who = whoIs(found)
  if (state === 'unreadable') return [`✕ ${who}: ${problem}`]
  if (state === 'absent') return [`– ${who}: no hooks in ${tilde(file)}`]
  const what = form === 'webhook' ? 'signed webhooks' : `${events.length} hooks (${form})`
  const lines = [`✓ ${who}: ${what} in ${tilde(file)}`]
  if (missing.length > 0) lines.push(`  without: ${missing.join(', ')}`)
  if (problem) lines.push(`  ${problem}`)
  return lines
}

function scriptLines(script: string, found: readonly Found[]): readonly string[] {
  if (!found.some(({ state }) => state === 'installed')) {
    return ['Install them with: panoptes hooks install claude-code']
  }
  const needed = found.some(({ state, form }) => state === 'installed' && form !== 'webhook')
  if (script === 'current' || !needed) return []
  const what =
    script === 'absent' ? 'The script they run is missing' : 'The script they run is of another version'
  return [`! ${what}. Put it right with: panoptes hooks install claude-code`]
}
