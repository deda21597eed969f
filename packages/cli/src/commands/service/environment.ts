import { resolve } from 'node:path'
import type { Context } from '../../context.ts'

/** Variables with the locations of agent files. A service has another working folder, so relative paths become absolute. */
export const AGENT_PLACES = [
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'KEI_EVENTS_FILE',
] as const
const AS_THEY_ARE = ['OLLAMA_HOST'] as const

/** The environment that the service inherits from the installing shell, without possible secrets. */
export function serviceEnvironment({ env, paths }: Context): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { PANOPTES_HOME: paths.home }
  for (const name of AGENT_PLACES) if (env[name]) variables[name] = resolve(env[name])
  for (const name of AS_THEY_ARE) if (env[name]) variables[name] = env[name]
  return variables
}
