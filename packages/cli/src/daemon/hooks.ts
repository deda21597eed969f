import {
  asksForTemplates,
  findConnections,
  placeScript,
  scriptState,
  templateScriptFile,
} from '@panoptes/engine/hooks'
import type { FoundSource, Result } from '@panoptes/schema'
import { shippedScript, shippedTemplateScript } from '../commands/hooks/place.ts'
import type { Context } from '../context.ts'

/** How agents on this computer are connected. */
export interface HookNews {
  readonly connected: readonly string[]
  /** Agents that are here and tell nothing. */
  readonly not_connected: readonly string[]
  readonly script: 'current' | 'older' | 'newer' | 'absent'
  /** Why the script that hooks run could not be brought up to date. */
  readonly script_problem: string | null
  /** The script was put in its place just now. */
  readonly script_refreshed: boolean
}

export const connectionsOf = ({ paths, env }: Pick<Context, 'paths' | 'env'>) =>
  findConnections(paths, env, shippedScript())

/** Looks how agents are connected, and brings the script that they run up to date; settings are never touched. */
export async function refreshHooks(context: Context, found: readonly FoundSource[]): Promise<HookNews> {
  const { connected, unconnected, script, scriptRuns } = await connectionsOf(context)
  const outdated = scriptRuns && (script === 'older' || script === 'absent')
  const placed = outdated ? await placeScript(context.paths, shippedScript()) : undefined
  const asking = await refreshTemplateScript(context)
  return {
    connected,
    not_connected: silentOf(found, unconnected),
    script: placed?.ok ? 'current' : script,
    script_problem: [placed, asking].find((one) => one?.ok === false)?.message ?? null,
    script_refreshed: [placed, asking].some((one) => one?.ok === true),
  }
}

async function refreshTemplateScript({ paths, env }: Context): Promise<Result<boolean> | undefined> {
  const file = templateScriptFile(paths)
  const state = await scriptState(paths, shippedTemplateScript(), file)
  if (state === 'current' || state === 'newer' || !(await asksForTemplates(paths, env))) return undefined
  return placeScript(paths, shippedTemplateScript(), file)
}

/** Those that are on this computer. */
export const silentOf = (found: readonly FoundSource[], unconnected: readonly string[]): readonly string[] =>
  found.flatMap(({ id, state }) => (state === 'found' && unconnected.includes(id) ? [id] : []))
