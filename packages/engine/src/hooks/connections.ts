import type { Paths } from '@panoptes/engine/home'
import { claudeSettingsFile } from './claude-code/editor.ts'
import { hermesConfigFile } from './hermes/editor.ts'
import { readRecords } from './record.ts'
import { type ScriptState, scriptState } from './script.ts'
import { claudeHooks, type HookState, hermesHooks } from './state.ts'

/** Which agents tell Panoptes what they do, and whether what they run is of this version. */
export interface Connections {
  readonly connected: readonly string[]
  /** Agents that could be connected and are not, whether they are here or not. */
  readonly unconnected: readonly string[]
  /** What keeps hooks that are there from working, or from being seen. */
  readonly problems: readonly string[]
  readonly script: ScriptState
  /** Hooks run the script of this home. */
  readonly scriptRuns: boolean
}

/** Looks into a person's own settings, and into every file that hooks were written to from this home. */
export async function findConnections(
  paths: Paths,
  env: Readonly<Record<string, string | undefined>>,
  shipped: string,
): Promise<Connections> {
  const own = claudeSettingsFile('user', env, '')
  const written = (await readRecords(paths)).filter(
    ({ agent, file }) => agent === 'claude-code' && file !== own,
  )
  const states: readonly HookState[] = await Promise.all([
    claudeHooks(paths, own, 'user'),
    ...written.map(({ file }) => claudeHooks(paths, file, 'project')),
    hermesHooks(paths, hermesConfigFile(env)),
  ])
  const installed = states.filter(({ state }) => state === 'installed')
  const connected = new Set(installed.map(({ agent }) => agent))
  return {
    connected: [...connected],
    unconnected: [...new Set(states.map(({ agent }) => agent))].filter((agent) => !connected.has(agent)),
    problems: [...new Set(states.flatMap(({ problem }) => problem ?? []))],
    script: await scriptState(paths, shipped),
    scriptRuns: installed.some(({ script }) => script === 'own'),
  }
}
