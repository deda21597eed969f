import {
  findConnections,
  type Heard,
  hasTemplateHook,
  NOTHING_HEARD,
  placeScript,
  scriptState,
  templateScriptFile,
} from '@panoptes/engine/hooks'
import type { FoundSource, Result } from '@panoptes/schema'
import { shippedScript, shippedTemplateScript } from '../commands/hooks/script-path.ts'
import type { Context } from '../context.ts'

/** How agents on this computer are connected. */
export interface HookNews {
  readonly connected: readonly string[]
  /** Agents with installed hooks that have not sent an event yet. */
  readonly installed: readonly string[]
  /** Agents on this computer without hooks. */
  readonly not_connected: readonly string[]
  readonly script: 'current' | 'older' | 'newer' | 'absent'
  /** The reason why the hook script could not be updated. */
  readonly script_problem: string | null
  /** Whether the hook script was just updated. */
  readonly script_refreshed: boolean
}

export const connectionsOf = ({ paths, env }: Pick<Context, 'paths' | 'env'>, heard: Heard = NOTHING_HEARD) =>
  findConnections(paths, env, shippedScript(), heard)

/** Detects the agents on this computer and the state of their hooks. */
export async function withHooks(
  context: Pick<Context, 'paths' | 'env'>,
  found: readonly FoundSource[],
  heard: Heard,
): Promise<readonly FoundSource[]> {
  const { agents } = await connectionsOf(context, heard)
  return found.map((source) => {
    const hooks = source.kind === 'agent' ? agents[source.id] : undefined
    return hooks === undefined ? source : { ...source, hooks }
  })
}

/**
 * Reports how agents are connected and updates the hook script. It never changes the settings of an agent.
 */
export async function refreshHooks(
  context: Context,
  found: readonly FoundSource[],
  heard: Heard,
): Promise<HookNews> {
  const { connected, installed, unconnected, script, scriptRuns } = await connectionsOf(context, heard)
  const outdated = scriptRuns && (script === 'older' || script === 'absent')
  const placed = outdated ? await placeScript(context.paths, shippedScript()) : undefined
  const asking = await refreshTemplateScript(context)
  return {
    connected,
    installed,
    not_connected: silentOf(found, unconnected),
    script: placed?.ok ? 'current' : script,
    script_problem: [placed, asking].find((one) => one?.ok === false)?.message ?? null,
    script_refreshed: [placed, asking].some((one) => one?.ok === true),
  }
}

async function refreshTemplateScript({ paths, env }: Context): Promise<Result<boolean> | undefined> {
  const file = templateScriptFile(paths)
  const state = await scriptState(paths, shippedTemplateScript(), file)
  if (state === 'current' || state === 'newer' || !(await hasTemplateHook(paths, env))) return undefined
  return placeScript(paths, shippedTemplateScript(), file)
}

/** Lists the unconnected agents that are on this computer. */
export const silentOf = (found: readonly FoundSource[], unconnected: readonly string[]): readonly string[] =>
  found.flatMap(({ id, state }) => (state === 'found' && unconnected.includes(id) ? [id] : []))
