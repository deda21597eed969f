import type { Paths } from '@panoptes/engine/home'
import { installedHermesVersion } from '@panoptes/engine/sources'
import type { SourceHooks } from '@panoptes/schema'
import { claudeSettingsFile } from './claude-code/editor.ts'
import { hermesConfigFile } from './hermes/config.ts'
import { readRecords } from './record.ts'
import { type ScriptState, scriptState } from './script.ts'
import { claudeHooks, type HookState, hermesHooks, NOTHING_HEARD, type ReadLastDelivery } from './state.ts'

/** Tells which agents send events to Panoptes, and whether their hooks are of this version. */
export interface Connections {
  /** Agents that sent an event through their hooks since those were installed. */
  readonly connected: readonly string[]
  /** Agents whose hooks are installed but sent nothing yet. */
  readonly installed: readonly string[]
  /** Agents that could be connected and are not, whether they are installed here or not. */
  readonly unconnected: readonly string[]
  /** Reasons why existing hooks do not work or cannot be seen. */
  readonly problems: readonly string[]
  readonly agents: Readonly<Record<string, SourceHooks>>
  readonly script: ScriptState
  /** This is true when hooks run the script of this home. */
  readonly scriptRuns: boolean
}

/** Inspects the user's own settings and every file that this home installed hooks into. */
export async function findConnections(
  paths: Paths,
  env: Readonly<Record<string, string | undefined>>,
  shipped: string,
  heard: ReadLastDelivery = NOTHING_HEARD,
): Promise<Connections> {
  const own = claudeSettingsFile('user', env, '')
  const written = (await readRecords(paths)).filter(
    ({ agent, file }) => agent === 'claude-code' && file !== own,
  )
  const states: readonly HookState[] = await Promise.all([
    claudeHooks(paths, own, 'user', heard),
    ...written.map(({ file }) => claudeHooks(paths, file, 'project', heard)),
    hermesHooks(paths, hermesConfigFile(env), { heard, version: await installedHermesVersion(env) }),
  ])
  const installed = states.filter(({ state }) => state === 'installed')
  const agents: Record<string, SourceHooks> = {}
  for (const { agent, connection, problem } of states) {
    const previous = agents[agent]
    agents[agent] = {
      connection: ORDER.find((one) => one === connection || one === previous?.connection) ?? 'none',
      problem: previous?.problem ?? problem,
      heard: { spool: heard(agent, 'spool'), http: heard(agent, 'http') },
    }
  }
  const named = (wanted: SourceHooks['connection']) =>
    Object.keys(agents).filter((agent) => agents[agent]?.connection === wanted)
  return {
    connected: named('connected'),
    installed: named('installed'),
    unconnected: named('none'),
    agents,
    problems: [...new Set(states.flatMap(({ problem }) => problem ?? []))],
    script: await scriptState(paths, shipped),
    scriptRuns: installed.some(({ script }) => script === 'own'),
  }
}

/** An agent with hooks in several files gets the best state of them. */
const ORDER = ['connected', 'installed', 'none'] as const
