import type { Paths } from '@panoptes/engine/home'
import { CLAUDE_EVENTS, COMMAND_ONLY } from './claude-code/events.ts'
import { quoted } from './claude-code/handlers.ts'
import { ourEntries } from './claude-code/settings.ts'
import { readSettings } from './file.ts'
import { hermesEntries } from './hermes/config.ts'
import { scriptFile } from './script.ts'

/** The hooks of ours in one settings file. */
export interface HookState {
  readonly agent: string
  readonly scope: 'user' | 'project'
  readonly file: string
  readonly state: 'installed' | 'absent' | 'unreadable'
  readonly form: 'command' | 'http' | 'mixed' | 'webhook' | 'shell' | null
  readonly events: readonly string[]
  /** Events that matter and have no hook of ours. */
  readonly missing: readonly string[]
  /** They run the script of this home, of another one, or none. */
  readonly script: 'own' | 'other' | null
  readonly problem: string | null
}

const NONE = { form: null, events: [], missing: [], script: null, problem: null } as const

export async function claudeHooks(paths: Paths, file: string, scope: HookState['scope']): Promise<HookState> {
  const none = { ...NONE, agent: 'claude-code', scope, file, missing: CLAUDE_EVENTS }
  const read = await readSettings(file)
  if (!read.ok) return { ...none, state: 'unreadable', problem: read.message }
  const text = read.value.text ?? ''
  const entries = ourEntries(text, read.value.path)
  if (!entries.ok) return { ...none, state: 'unreadable', problem: entries.message }
  if (entries.value.length === 0) return { ...none, state: 'absent' }
  const events = entries.value.map(({ event }) => event)
  const types = entries.value
    .filter(({ event }) => !COMMAND_ONLY.has(event) && event !== 'PermissionRequest')
    .map(({ handler }) => (handler as { type: string }).type)
  return {
    ...none,
    state: 'installed',
    form: types.includes('http') ? (types.includes('command') ? 'mixed' : 'http') : 'command',
    events,
    missing: CLAUDE_EVENTS.filter((event) => !events.includes(event)),
    script: scriptOf(
      paths,
      entries.value.map(({ handler }) => handler),
    ),
    problem: /"disableAllHooks"\s*:\s*true/.test(text)
      ? `disableAllHooks is true in ${file}: Claude Code runs none`
      : null,
  }
}

export async function hermesHooks(paths: Paths, file: string): Promise<HookState> {
  const none = { ...NONE, agent: 'hermes', scope: 'user', file } as const
  const read = await readSettings(file)
  const entries = read.ok ? hermesEntries(read.value.text ?? '', read.value.path) : read
  if (!entries.ok) return { ...none, state: 'unreadable', problem: entries.message }
  if (entries.value.length === 0) return { ...none, state: 'absent' }
  const lists = entries.value.map(({ list }) => list)
  return {
    ...none,
    state: 'installed',
    form: lists.includes('outbound') ? 'webhook' : 'shell',
    events: lists.filter((list) => list !== 'outbound'),
    script: scriptOf(
      paths,
      entries.value.map(({ entry }) => entry),
    ),
  }
}

function scriptOf(paths: Paths, entries: readonly unknown[]): HookState['script'] {
  const commands = entries.flatMap((entry) => (entry as { command?: string }).command ?? [])
  if (commands.length === 0) return null
  return commands.some((command) => command.startsWith(`${quoted(scriptFile(paths))} `)) ? 'own' : 'other'
}
