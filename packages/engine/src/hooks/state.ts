import type { Paths } from '@panoptes/engine/home'
import { hermesSendsWebhooks } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import { type HookConnection, type HookDelivery, lastHeardKey } from '@panoptes/schema'
import { CLAUDE_EVENTS, COMMAND_ONLY } from './claude-code/handlers.ts'
import { listOurEntries } from './claude-code/settings.ts'
import { readSettings } from './file.ts'
import { hermesEntries } from './hermes/config.ts'
import { readRecords } from './record.ts'
import { runsScript, scriptFile } from './script.ts'

/** The hooks of Panoptes in one settings file. */
export interface HookState {
  readonly agent: string
  readonly scope: 'user' | 'project'
  readonly file: string
  readonly state: 'installed' | 'absent' | 'unreadable'
  readonly form: 'command' | 'http' | 'mixed' | 'webhook' | 'shell' | null
  readonly events: readonly string[]
  /** Relevant events without a hook of Panoptes. */
  readonly missing: readonly string[]
  /** Tells whether the hooks run the script of this home, of another one, or none. */
  readonly script: 'own' | 'other' | null
  readonly problem: string | null
  /** Connected only when an event arrived through the hooks since they were written. */
  readonly connection: HookConnection
}

const NONE = {
  form: null,
  events: [],
  missing: [],
  script: null,
  problem: null,
  connection: 'none',
} as const

/** Returns when the last event of an agent arrived by a delivery, in milliseconds, or null when none did. */
export type ReadLastDelivery = (agent: string, delivery: HookDelivery) => number | null

const HOOKED = ['claude-code', 'hermes']
const DELIVERIES: readonly HookDelivery[] = ['spool', 'http']

export async function claudeHooks(
  paths: Paths,
  file: string,
  scope: HookState['scope'],
  heard: ReadLastDelivery = NOTHING_HEARD,
): Promise<HookState> {
  const none = { ...NONE, agent: 'claude-code', scope, file, missing: CLAUDE_EVENTS }
  const read = await readSettings(file)
  if (!read.ok) return { ...none, state: 'unreadable', problem: read.message }
  const text = read.value.text ?? ''
  const entries = listOurEntries(text, read.value.path)
  if (!entries.ok) return { ...none, state: 'unreadable', problem: entries.message }
  if (entries.value.length === 0) return { ...none, state: 'absent' }
  const events = entries.value.map(({ event }) => event)
  const types = entries.value
    .filter(({ event }) => !COMMAND_ONLY.has(event) && event !== 'PermissionRequest')
    .map(({ handler }) => (handler as { type: string }).type)
  const form = types.includes('http') ? (types.includes('command') ? 'mixed' : 'http') : 'command'
  // Session start is a command in every form, so it does not show that http requests arrive. An answerable
  // permission is an http request in every form.
  const by: readonly HookDelivery[] = form === 'command' ? ['spool'] : ['http']
  return {
    ...none,
    state: 'installed',
    form,
    connection: await findConnection(paths, { agent: 'claude-code', file: read.value.path, by }, heard),
    events,
    missing: CLAUDE_EVENTS.filter((event) => !events.includes(event)),
    script: scriptState(
      paths,
      entries.value.map(({ handler }) => handler),
    ),
    problem: /"disableAllHooks"\s*:\s*true/.test(text)
      ? `disableAllHooks is true in ${file}: Claude Code runs none`
      : null,
  }
}

/** `version` is the installed version of Hermes, where it is known. */
export async function hermesHooks(
  paths: Paths,
  file: string,
  {
    heard = NOTHING_HEARD,
    version = null,
  }: { readonly heard?: ReadLastDelivery; readonly version?: string | null } = {},
): Promise<HookState> {
  const none = { ...NONE, agent: 'hermes', scope: 'user', file } as const
  const read = await readSettings(file)
  const entries = read.ok ? hermesEntries(read.value.text ?? '', read.value.path) : read
  if (!entries.ok) return { ...none, state: 'unreadable', problem: entries.message }
  if (entries.value.length === 0) return { ...none, state: 'absent' }
  const lists = entries.value.map(({ list }) => list)
  const events = lists.filter((list) => list !== 'outbound')
  const isWebhook = lists.includes('outbound')
  const isUnknown = isWebhook && version !== null && !hermesSendsWebhooks(version)
  const path = read.ok ? read.value.path : file
  const by: readonly HookDelivery[] = [
    ...(isWebhook ? (['http'] as const) : []),
    ...(events.length > 0 ? (['spool'] as const) : []),
  ]
  return {
    ...none,
    state: 'installed',
    form: isWebhook && !(isUnknown && events.length > 0) ? 'webhook' : 'shell',
    events,
    connection: await findConnection(paths, { agent: 'hermes', file: path, by }, heard),
    problem: isUnknown
      ? `Hermes ${version} does not support webhooks, so Panoptes receives nothing. Fix it with: panoptes hooks install hermes`
      : null,
    script: scriptState(
      paths,
      entries.value.map(({ entry }) => entry),
    ),
  }
}

interface Installed {
  readonly agent: string
  readonly file: string
  readonly by: readonly HookDelivery[]
}

async function findConnection(
  paths: Paths,
  { agent, file, by }: Installed,
  heard: ReadLastDelivery,
): Promise<HookConnection> {
  const record = (await readRecords(paths)).find((installed) => installed.file === file)
  const last = Math.max(...by.map((delivery) => heard(agent, delivery) ?? Number.NEGATIVE_INFINITY))
  return last >= (record?.at ?? 0) ? 'connected' : 'installed'
}

function scriptState(paths: Paths, entries: readonly unknown[]): HookState['script'] {
  const commands = entries.flatMap((entry) => (entry as { command?: string }).command ?? [])
  if (commands.length === 0) return null
  return commands.some((command) => runsScript(command, scriptFile(paths))) ? 'own' : 'other'
}

export const NOTHING_HEARD: ReadLastDelivery = () => null

/**
 * Reads from the store when events arrived through hooks. An unreadable store proves nothing, so it yields no
 * times.
 */
export async function readHeard(store: Pick<EventStore, 'marks'>): Promise<ReadLastDelivery> {
  const names = HOOKED.flatMap((agent) => DELIVERIES.map((delivery) => lastHeardKey(agent, delivery)))
  const marks = await store.marks(names)
  if (!marks.ok) return NOTHING_HEARD
  return (agent, delivery) => {
    const at = Number(marks.value[lastHeardKey(agent, delivery)])
    return Number.isFinite(at) && at > 0 ? at : null
  }
}
